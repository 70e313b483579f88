// RUN: not relax-opt %s 2>&1 | filecheck %s

// The weights are a matrix.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n], i64>, %z: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.nll_loss %x, %y, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n], i64>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: nll_loss_C2_weights_rank.mlir:6:8: error: @f: relax.nll_loss (%r): expected 'weights' of rank 1 (C2), found rank 2; flatten them{{$}}
