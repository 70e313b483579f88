// RUN: not relax-opt %s 2>&1 | filecheck %s

// There are no classes.

relax.func @f(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[], i64>) -> !relax.object {
  %r = relax.nll_loss %x, %y : (!relax.tensor<[], f32>, !relax.tensor<[], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: nll_loss_C2_predictions.mlir:6:8: error: @f: relax.nll_loss (%r): expected a tensor of rank 1 or more (C2), found one of rank 0; add dimensions with relax.expand_dims or relax.reshape{{$}}
