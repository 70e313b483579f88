// RUN: not relax-opt %s 2>&1 | filecheck %s

// The targets have the axis of the classes.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], i64>) -> !relax.object {
  %r = relax.nll_loss %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: nll_loss_C2_rank.mlir:6:8: error: @f: relax.nll_loss (%r): expected targets with the axes of predictions but that of the classes (C2), found rank 2; reshape or transpose the targets{{$}}
