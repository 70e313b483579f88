// RUN: not relax-opt %s 2>&1 | filecheck %s

// Logarithms are no integers.

relax.func @f(%x: !relax.tensor<[n, 4], i8>, %y: !relax.tensor<[n], i64>) -> !relax.object {
  %r = relax.nll_loss %x, %y : (!relax.tensor<[n, 4], i8>, !relax.tensor<[n], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: nll_loss_C1_predictions.mlir:6:8: error: @f: relax.nll_loss (%r): expected a floating-point element type of 'predictions' (C1), found i8; convert with relax.astype first{{$}}
