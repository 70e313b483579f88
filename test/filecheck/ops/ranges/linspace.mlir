// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.linspace %x {start = 0 : i64, stop = 1.500000e+00 : f64, dtype = f64} : (!relax.shape<[4]>) -> !relax.tensor<[4], f64>{{$}}
relax.func @static(%x: !relax.shape<[4]>) -> !relax.object {
  %r = relax.linspace %x {start = 0 : i64, stop = 1.500000e+00 : f64, dtype = f64} : (!relax.shape<[4]>) -> !relax.tensor<[4], f64>
  relax.return %r : !relax.tensor<[4], f64>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.linspace %x {start = -1.000000e+00 : f64, stop = 1 : i64, dtype = bf16} : (!relax.shape<[n]>) -> !relax.tensor<[n], bf16>{{$}}
relax.func @symbolic(%x: !relax.shape<[n]>) -> !relax.object {
  %r = relax.linspace %x {start = -1.000000e+00 : f64, stop = 1 : i64, dtype = bf16} : (!relax.shape<[n]>) -> !relax.tensor<[n], bf16>
  relax.return %r : !relax.tensor<[n], bf16>
}

// CHECK-LABEL: relax.func @default(
// CHECK-NEXT: %r = relax.linspace %x {start = 0 : i64, stop = 1 : i64} : (!relax.shape<[2 * n]>) -> !relax.tensor<[2 * n], f32>{{$}}
relax.func @default(%x: !relax.shape<[2 * n]>, %sizes: !relax.shape<[n]>) -> !relax.object {
  %r = relax.linspace %x {start = 0 : i64, stop = 1 : i64} : (!relax.shape<[2 * n]>) -> !relax.tensor<[2 * n], f32>
  relax.return %r : !relax.tensor<[2 * n], f32>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.linspace %x {start = 0 : i64, stop = 1 : i64} : (!relax.shape<*>) -> !relax.tensor<[?], f32>{{$}}
relax.func @unknown(%x: !relax.shape<*>) -> !relax.object {
  %r = relax.linspace %x {start = 0 : i64, stop = 1 : i64} : (!relax.shape<*>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}
