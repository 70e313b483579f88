// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @scalar(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[2, 3], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @scalar(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @ones(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[2, 1], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[2, 1], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @ones(%x: !relax.tensor<[2, 1], f32>, %y: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[2, 1], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @zero(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[0, 1], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[0, 3], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[0, 1], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[0, 3], f32>{{$}}
relax.func @zero(%x: !relax.tensor<[0, 1], f32>, %y: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[0, 1], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[0, 3], f32>
  relax.return %r : !relax.tensor<[0, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @symbolic_with_one(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[n, 1], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[n, 1], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @symbolic_with_one(%x: !relax.tensor<[n, 1], f32>, %y: !relax.tensor<[m], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n, 1], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @symbolic_with_constant(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[n], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>{{$}}
relax.func @symbolic_with_constant(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  relax.return %r : !relax.tensor<[4], f32>
}

// CHECK-LABEL: relax.func @symbolic_of_lower_rank(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[b, n, 2 * n], f32>, !relax.tensor<[2 * n], f32>) -> !relax.tensor<[b, n, 2 * n], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[b, n, 2 * n], f32>, !relax.tensor<[2 * n], f32>) -> !relax.tensor<[b, n, 2 * n], f32>{{$}}
relax.func @symbolic_of_lower_rank(%x: !relax.tensor<[b, n, 2 * n], f32>, %y: !relax.tensor<[2 * n], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[b, n, 2 * n], f32>, !relax.tensor<[2 * n], f32>) -> !relax.tensor<[b, n, 2 * n], f32>
  relax.return %r : !relax.tensor<[b, n, 2 * n], f32>
}

// CHECK-LABEL: relax.func @symbols_that_may_be_one(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[broadcast(m, n)], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[broadcast(m, n)], f32>{{$}}
relax.func @symbols_that_may_be_one(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[broadcast(m, n)], f32>
  relax.return %r : !relax.tensor<[broadcast(m, n)], f32>
}

// CHECK-LABEL: relax.func @symbol_plus_one(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[n + 2], f32>, !relax.tensor<[1], f32>) -> !relax.tensor<[n + 2], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[n + 2], f32>, !relax.tensor<[1], f32>) -> !relax.tensor<[n + 2], f32>{{$}}
relax.func @symbol_plus_one(%x: !relax.tensor<[n + 2], f32>, %y: !relax.tensor<[1], f32>, %s: !relax.shape<[n]>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n + 2], f32>, !relax.tensor<[1], f32>) -> !relax.tensor<[n + 2], f32>
  relax.return %r : !relax.tensor<[n + 2], f32>
}

// CHECK-LABEL: relax.func @symbol_above_one_wins(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[n + 2], f32>, !relax.tensor<[?], f32>) -> !relax.tensor<[n + 2], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[n + 2], f32>, !relax.tensor<[?], f32>) -> !relax.tensor<[n + 2], f32>{{$}}
relax.func @symbol_above_one_wins(%x: !relax.tensor<[n + 2], f32>, %y: !relax.tensor<[?], f32>, %s: !relax.shape<[n]>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n + 2], f32>, !relax.tensor<[?], f32>) -> !relax.tensor<[n + 2], f32>
  relax.return %r : !relax.tensor<[n + 2], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 1], f32>) -> !relax.tensor<[n, ?], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 1], f32>) -> !relax.tensor<[n, ?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[n, ?], f32>, %y: !relax.tensor<[n, 1], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 1], f32>) -> !relax.tensor<[n, ?], f32>
  relax.return %r : !relax.tensor<[n, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_dim_with_constant(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[?], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[?], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>{{$}}
relax.func @unknown_dim_with_constant(%x: !relax.tensor<[?], f32>, %y: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[?], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  relax.return %r : !relax.tensor<[4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<*, f32>, !relax.tensor<[4], f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<*, f32>, !relax.tensor<[4], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<*, f32>, !relax.tensor<[4], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[4]>, !relax.tensor<[4], f32>) -> !relax.tensor<[4]>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[4]>, !relax.tensor<[4], f32>) -> !relax.tensor<[4]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[4]>, %y: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[4]>, !relax.tensor<[4], f32>) -> !relax.tensor<[4]>
  relax.return %r : !relax.tensor<[4]>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<*>, !relax.tensor<*>) -> !relax.tensor<*>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<*>, !relax.tensor<*>) -> !relax.tensor<*>{{$}}
relax.func @unknown(%x: !relax.tensor<*>, %y: !relax.tensor<*>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<*>, !relax.tensor<*>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK-LABEL: relax.func @wider(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
relax.func @wider(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, 4], f32>
  relax.return %r : !relax.tensor<[?, 4], f32>
}

// CHECK-LABEL: relax.func @wider_rank(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>{{$}}
relax.func @wider_rank(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK-LABEL: relax.func @half(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[n], f16>, !relax.tensor<[n], f16>) -> !relax.tensor<[n], f16>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[n], f16>, !relax.tensor<[n], f16>) -> !relax.tensor<[n], f16>{{$}}
relax.func @half(%x: !relax.tensor<[n], f16>, %y: !relax.tensor<[n], f16>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n], f16>, !relax.tensor<[n], f16>) -> !relax.tensor<[n], f16>
  relax.return %r : !relax.tensor<[n], f16>
}

// CHECK-LABEL: relax.func @double(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[n], f64>, !relax.tensor<[n], f64>) -> !relax.tensor<[n], f64>{{$}}
// GENERIC: %r = "relax.divide"(%x, %y) : (!relax.tensor<[n], f64>, !relax.tensor<[n], f64>) -> !relax.tensor<[n], f64>{{$}}
relax.func @double(%x: !relax.tensor<[n], f64>, %y: !relax.tensor<[n], f64>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n], f64>, !relax.tensor<[n], f64>) -> !relax.tensor<[n], f64>
  relax.return %r : !relax.tensor<[n], f64>
}

// CHECK-LABEL: relax.func @divide_i32(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[n], i32>, !relax.tensor<[], i32>) -> !relax.tensor<[n], i32>{{$}}
relax.func @divide_i32(%x: !relax.tensor<[n], i32>, %y: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n], i32>, !relax.tensor<[], i32>) -> !relax.tensor<[n], i32>
  relax.return %r : !relax.tensor<[n], i32>
}

// CHECK-LABEL: relax.func @divide_ui8(
// CHECK-NEXT: %r = relax.divide %x, %y : (!relax.tensor<[n], ui8>, !relax.tensor<[], ui8>) -> !relax.tensor<[n], ui8>{{$}}
relax.func @divide_ui8(%x: !relax.tensor<[n], ui8>, %y: !relax.tensor<[], ui8>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[n], ui8>, !relax.tensor<[], ui8>) -> !relax.tensor<[n], ui8>
  relax.return %r : !relax.tensor<[n], ui8>
}
