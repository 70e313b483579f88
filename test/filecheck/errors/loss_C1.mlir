// RUN: not relax-opt %s 2>&1 | filecheck %s

// Integers are no predictions.

relax.func @f(%x: !relax.tensor<[n, 4], i8>, %y: !relax.tensor<[n, 4], i8>) -> !relax.object {
  %r = relax.mse_loss %x, %y : (!relax.tensor<[n, 4], i8>, !relax.tensor<[n, 4], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: loss_C1.mlir:6:8: error: @f: relax.mse_loss (%r): expected a floating-point element type (C1), found i8; convert with relax.astype first{{$}}
