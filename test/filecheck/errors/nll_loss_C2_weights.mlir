// RUN: not relax-opt %s 2>&1 | filecheck %s

// A class without a weight.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n], i64>, %z: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.nll_loss %x, %y, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n], i64>, !relax.tensor<[3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: nll_loss_C2_weights.mlir:6:8: error: @f: relax.nll_loss (%r): expected one weight for each class (C2), found 3 for 4; correct the weights{{$}}
