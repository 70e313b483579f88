// RUN: not relax-opt %s 2>&1 | filecheck %s

// The sizes differ.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 5], f32>) -> !relax.object {
  %r = relax.mse_loss %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 5], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: loss_C2.mlir:6:8: error: @f: relax.mse_loss (%r): expected two tensors of one shape (C2), found 5 for 4; reshape or broadcast one of them{{$}}
