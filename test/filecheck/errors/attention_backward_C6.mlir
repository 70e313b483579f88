// RUN: not relax-opt %s 2>&1 | filecheck %s

// A mask from the other corner.

relax.func @f(%g: !relax.tensor<[b, n, 4, 8], f32>, %q: !relax.tensor<[b, n, 4, 8], f32>, %k: !relax.tensor<[b, n, 4, 8], f32>, %v: !relax.tensor<[b, n, 4, 8], f32>) -> !relax.object {
  %dq, %dk, %dv = relax.attention_backward %g, %q, %k, %v {causal_mask = "TopRight"} : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>) -> (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>)
  relax.return %dq : !relax.tensor<[b, n, 4, 8], f32>
}

// CHECK: attention_backward_C6.mlir:6:19: error: @f: relax.attention_backward (%dq, %dk, %dv): expected 'causal_mask' to be one of "TopLeft", "BottomRight" (C6), found "TopRight"; correct 'causal_mask'{{$}}
