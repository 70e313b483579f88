// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @numbers(
// CHECK-NEXT: %r = relax.arange {start = 2 : i64, end = 11 : i64, step = 4 : i64} : () -> !relax.tensor<[3], i64>{{$}}
relax.func @numbers() -> !relax.object {
  %r = relax.arange {start = 2 : i64, end = 11 : i64, step = 4 : i64} : () -> !relax.tensor<[3], i64>
  relax.return %r : !relax.tensor<[3], i64>
}

// CHECK-LABEL: relax.func @floats(
// CHECK-NEXT: %r = relax.arange {start = 0.000000e+00 : f64, end = 1.000000e+00 : f64, step = 2.500000e-01 : f64} : () -> !relax.tensor<[4], f32>{{$}}
relax.func @floats() -> !relax.object {
  %r = relax.arange {start = 0.000000e+00 : f64, end = 1.000000e+00 : f64, step = 2.500000e-01 : f64} : () -> !relax.tensor<[4], f32>
  relax.return %r : !relax.tensor<[4], f32>
}

// CHECK-LABEL: relax.func @dtype(
// CHECK-NEXT: %r = relax.arange {start = 0 : i64, end = 5 : i64, step = 1 : i64, dtype = ui8} : () -> !relax.tensor<[5], ui8>{{$}}
relax.func @dtype() -> !relax.object {
  %r = relax.arange {start = 0 : i64, end = 5 : i64, step = 1 : i64, dtype = ui8} : () -> !relax.tensor<[5], ui8>
  relax.return %r : !relax.tensor<[5], ui8>
}

// CHECK-LABEL: relax.func @empty(
// CHECK-NEXT: %r = relax.arange {start = 5 : i64, end = 5 : i64, step = 1 : i64} : () -> !relax.tensor<[0], i64>{{$}}
relax.func @empty() -> !relax.object {
  %r = relax.arange {start = 5 : i64, end = 5 : i64, step = 1 : i64} : () -> !relax.tensor<[0], i64>
  relax.return %r : !relax.tensor<[0], i64>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.arange %x {start = 0 : i64, step = 1 : i64} : (!relax.shape<[n]>) -> !relax.tensor<[n], i64>{{$}}
relax.func @symbolic(%x: !relax.shape<[n]>) -> !relax.object {
  %r = relax.arange %x {start = 0 : i64, step = 1 : i64} : (!relax.shape<[n]>) -> !relax.tensor<[n], i64>
  relax.return %r : !relax.tensor<[n], i64>
}

// CHECK-LABEL: relax.func @down(
// CHECK-NEXT: %r = relax.arange %x {end = -1 : i64, step = -1 : i64, dtype = f32} : (!relax.shape<[n]>) -> !relax.tensor<[n + 1], f32>{{$}}
relax.func @down(%x: !relax.shape<[n]>) -> !relax.object {
  %r = relax.arange %x {end = -1 : i64, step = -1 : i64, dtype = f32} : (!relax.shape<[n]>) -> !relax.tensor<[n + 1], f32>
  relax.return %r : !relax.tensor<[n + 1], f32>
}

// CHECK-LABEL: relax.func @both(
// CHECK-NEXT: %r = relax.arange %x {step = 2 : i64} : (!relax.shape<[n, 2 * m + n]>) -> !relax.tensor<[m], i64>{{$}}
relax.func @both(%x: !relax.shape<[n, 2 * m + n]>, %sizes: !relax.shape<[m]>) -> !relax.object {
  %r = relax.arange %x {step = 2 : i64} : (!relax.shape<[n, 2 * m + n]>) -> !relax.tensor<[m], i64>
  relax.return %r : !relax.tensor<[m], i64>
}

// CHECK-LABEL: relax.func @may_be_empty(
// CHECK-NEXT: %r = relax.arange %x {step = 1 : i64} : (!relax.shape<[n, m]>) -> !relax.tensor<[max(m - n, 0)], i64>{{$}}
relax.func @may_be_empty(%x: !relax.shape<[n, m]>) -> !relax.object {
  %r = relax.arange %x {step = 1 : i64} : (!relax.shape<[n, m]>) -> !relax.tensor<[max(m - n, 0)], i64>
  relax.return %r : !relax.tensor<[max(m - n, 0)], i64>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.arange %x {start = 0 : i64, step = 1 : i64} : (!relax.shape<[?]>) -> !relax.tensor<[?], i64>{{$}}
relax.func @unknown(%x: !relax.shape<[?]>) -> !relax.object {
  %r = relax.arange %x {start = 0 : i64, step = 1 : i64} : (!relax.shape<[?]>) -> !relax.tensor<[?], i64>
  relax.return %r : !relax.tensor<[?], i64>
}

// CHECK-LABEL: relax.func @unknown_number(
// CHECK-NEXT: %r = relax.arange %x {step = 1 : i64} : (!relax.shape<*>) -> !relax.tensor<[?], i64>{{$}}
relax.func @unknown_number(%x: !relax.shape<*>) -> !relax.object {
  %r = relax.arange %x {step = 1 : i64} : (!relax.shape<*>) -> !relax.tensor<[?], i64>
  relax.return %r : !relax.tensor<[?], i64>
}
