// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is a target for each prediction.

relax.func @f(%g: !relax.tensor<[], f32>, %p: !relax.tensor<[n, 3], f32>, %t: !relax.tensor<[n, 3], i64>) -> !relax.object {
  %z = relax.nll_loss_backward %g, %p, %t : (!relax.tensor<[], f32>, !relax.tensor<[n, 3], f32>, !relax.tensor<[n, 3], i64>) -> !relax.tensor<[n, 3], f32>
  relax.return %z : !relax.tensor<[n, 3], f32>
}

// CHECK: nll_loss_backward_C2.mlir:6:8: error: @f: relax.nll_loss_backward (%z): expected targets with the axes of predictions but that of the classes (C2), found rank 2; reshape or transpose the targets{{$}}
