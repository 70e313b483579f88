// RUN: not relax-opt %s 2>&1 | filecheck %s

// Heads are a dimension.

relax.func @f(%g: !relax.tensor<[b, n, 8], f32>, %q: !relax.tensor<[b, n, 8], f32>, %k: !relax.tensor<[b, n, 8], f32>, %v: !relax.tensor<[b, n, 8], f32>) -> !relax.object {
  %dq, %dk, %dv = relax.attention_backward %g, %q, %k, %v : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, n, 8], f32>) -> (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, n, 8], f32>)
  relax.return %dq : !relax.tensor<[b, n, 8], f32>
}

// CHECK: attention_backward_C2.mlir:6:19: error: @f: relax.attention_backward (%dq, %dk, %dv): expected 'query' of rank 4 (C2), found rank 3; reshape it, or add dimensions of size 1{{$}}
