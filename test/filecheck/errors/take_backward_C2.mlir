// RUN: not relax-opt %s 2>&1 | filecheck %s

// Without an axis a vector was taken from.

relax.func @f(%g: !relax.tensor<[k], f32>, %x: !relax.tensor<[n, m], f32>, %i: !relax.tensor<[k], i64>) -> !relax.object {
  %z = relax.take_backward %g, %x, %i : (!relax.tensor<[k], f32>, !relax.tensor<[n, m], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<[n, m], f32>
  relax.return %z : !relax.tensor<[n, m], f32>
}

// CHECK: take_backward_C2.mlir:6:8: error: @f: relax.take_backward (%z): expected a vector x without axis (C2), found rank 2; write axis, or flatten x{{$}}
