// RUN: not relax-opt %s 2>&1 | filecheck %s

// A window without an end.

relax.func @f(%g: !relax.tensor<[b, n, 4, 8], f32>, %q: !relax.tensor<[b, n, 4, 8], f32>, %k: !relax.tensor<[b, n, 4, 8], f32>, %v: !relax.tensor<[b, n, 4, 8], f32>) -> !relax.object {
  %dq, %dk, %dv = relax.attention_backward %g, %q, %k, %v {window_size = 3 : i64} : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>) -> (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>)
  relax.return %dq : !relax.tensor<[b, n, 4, 8], f32>
}

// CHECK: attention_backward_C7.mlir:6:19: error: @f: relax.attention_backward (%dq, %dk, %dv): expected a causal mask where there is a window (C7), found none; write causal_mask = "TopLeft" or "BottomRight"{{$}}
