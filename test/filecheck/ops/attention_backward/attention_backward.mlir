// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: relax.func @grouped(
// CHECK-NEXT: %dq, %dk, %dv = relax.attention_backward %g, %q, %k, %v : (!relax.tensor<[b, n, 4, 3], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 2, 8], f32>, !relax.tensor<[b, m, 1, 3], f32>) -> (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 2, 8], f32>, !relax.tensor<[b, m, 1, 3], f32>){{$}}
// GENERIC: %dq, %dk, %dv = "relax.attention_backward"(%g, %q, %k, %v) : (!relax.tensor<[b, n, 4, 3], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 2, 8], f32>, !relax.tensor<[b, m, 1, 3], f32>) -> (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 2, 8], f32>, !relax.tensor<[b, m, 1, 3], f32>){{$}}
relax.func @grouped(%g: !relax.tensor<[b, n, 4, 3], f32>, %q: !relax.tensor<[b, n, 4, 8], f32>, %k: !relax.tensor<[b, m, 2, 8], f32>, %v: !relax.tensor<[b, m, 1, 3], f32>) -> !relax.object {
  %dq, %dk, %dv = relax.attention_backward %g, %q, %k, %v : (!relax.tensor<[b, n, 4, 3], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 2, 8], f32>, !relax.tensor<[b, m, 1, 3], f32>) -> (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 2, 8], f32>, !relax.tensor<[b, m, 1, 3], f32>)
  %r = relax.tuple %dq, %dk, %dv : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 2, 8], f32>, !relax.tensor<[b, m, 1, 3], f32>) -> tuple<!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 2, 8], f32>, !relax.tensor<[b, m, 1, 3], f32>>
  relax.return %r : tuple<!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 2, 8], f32>, !relax.tensor<[b, m, 1, 3], f32>>
}

// CHECK-LABEL: relax.func @masked(
// CHECK-NEXT: %dq, %dk, %dv = relax.attention_backward %g, %q, %k, %v, %bias {scale = 5.000000e-01 : f64, causal_mask = "BottomRight", window_size = 3 : i64} : (!relax.tensor<[b, n, 4, 3], f16>, !relax.tensor<[b, n, 4, 8], f16>, !relax.tensor<[b, m, 4, 8], f16>, !relax.tensor<[b, m, 4, 3], f16>, !relax.tensor<[1, 1, n, m], i1>) -> (!relax.tensor<[b, n, 4, 8], f16>, !relax.tensor<[b, m, 4, 8], f16>, !relax.tensor<[b, m, 4, 3], f16>){{$}}
// GENERIC: %dq, %dk, %dv = "relax.attention_backward"(%g, %q, %k, %v, %bias) <{scale = 5.000000e-01 : f64, causal_mask = "BottomRight", window_size = 3 : i64}> : (!relax.tensor<[b, n, 4, 3], f16>, !relax.tensor<[b, n, 4, 8], f16>, !relax.tensor<[b, m, 4, 8], f16>, !relax.tensor<[b, m, 4, 3], f16>, !relax.tensor<[1, 1, n, m], i1>) -> (!relax.tensor<[b, n, 4, 8], f16>, !relax.tensor<[b, m, 4, 8], f16>, !relax.tensor<[b, m, 4, 3], f16>){{$}}
relax.func @masked(%g: !relax.tensor<[b, n, 4, 3], f16>, %q: !relax.tensor<[b, n, 4, 8], f16>, %k: !relax.tensor<[b, m, 4, 8], f16>, %v: !relax.tensor<[b, m, 4, 3], f16>, %bias: !relax.tensor<[1, 1, n, m], i1>) -> !relax.object {
  %dq, %dk, %dv = relax.attention_backward %g, %q, %k, %v, %bias {scale = 5.000000e-01 : f64, causal_mask = "BottomRight", window_size = 3 : i64} : (!relax.tensor<[b, n, 4, 3], f16>, !relax.tensor<[b, n, 4, 8], f16>, !relax.tensor<[b, m, 4, 8], f16>, !relax.tensor<[b, m, 4, 3], f16>, !relax.tensor<[1, 1, n, m], i1>) -> (!relax.tensor<[b, n, 4, 8], f16>, !relax.tensor<[b, m, 4, 8], f16>, !relax.tensor<[b, m, 4, 3], f16>)
  %r = relax.tuple %dq, %dk, %dv : (!relax.tensor<[b, n, 4, 8], f16>, !relax.tensor<[b, m, 4, 8], f16>, !relax.tensor<[b, m, 4, 3], f16>) -> tuple<!relax.tensor<[b, n, 4, 8], f16>, !relax.tensor<[b, m, 4, 8], f16>, !relax.tensor<[b, m, 4, 3], f16>>
  relax.return %r : tuple<!relax.tensor<[b, n, 4, 8], f16>, !relax.tensor<[b, m, 4, 8], f16>, !relax.tensor<[b, m, 4, 3], f16>>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %dq, %dk, %dv = relax.attention_backward %g, %q, %k, %v : (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>){{$}}
// GENERIC: %dq, %dk, %dv = "relax.attention_backward"(%g, %q, %k, %v) : (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>){{$}}
relax.func @unknown(%g: !relax.tensor<*, f32>, %q: !relax.tensor<*, f32>, %k: !relax.tensor<*, f32>, %v: !relax.tensor<*, f32>) -> !relax.object {
  %dq, %dk, %dv = relax.attention_backward %g, %q, %k, %v : (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>)
  %r = relax.tuple %dq, %dk, %dv : (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> tuple<!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>>
  relax.return %r : tuple<!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>>
}
