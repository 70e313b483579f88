// RUN: not relax-opt %s 2>&1 | filecheck %s

// A reduction is one of three.

relax.func @f(%g: !relax.tensor<[], f32>, %p: !relax.tensor<[n, 3], f32>, %t: !relax.tensor<[n], i64>) -> !relax.object {
  %z = relax.nll_loss_backward %g, %p, %t {reduction = "max"} : (!relax.tensor<[], f32>, !relax.tensor<[n, 3], f32>, !relax.tensor<[n], i64>) -> !relax.tensor<[n, 3], f32>
  relax.return %z : !relax.tensor<[n, 3], f32>
}

// CHECK: nll_loss_backward_C3.mlir:6:8: error: @f: relax.nll_loss_backward (%z): expected 'reduction' to be one of "mean", "sum", "none" (C3), found "max"; correct 'reduction'{{$}}
