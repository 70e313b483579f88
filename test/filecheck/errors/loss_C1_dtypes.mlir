// RUN: not relax-opt %s 2>&1 | filecheck %s

// The element types differ.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f64>) -> !relax.object {
  %r = relax.mse_loss %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: loss_C1_dtypes.mlir:6:8: error: @f: relax.mse_loss (%r): expected operands of one element type (C1), found f32 and f64; convert one of them with relax.astype{{$}}
