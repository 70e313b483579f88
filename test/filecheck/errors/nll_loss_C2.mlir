// RUN: not relax-opt %s 2>&1 | filecheck %s

// There are more predictions than targets.

relax.func @f(%x: !relax.tensor<[3, 4], f32>, %y: !relax.tensor<[2], i64>) -> !relax.object {
  %r = relax.nll_loss %x, %y : (!relax.tensor<[3, 4], f32>, !relax.tensor<[2], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: nll_loss_C2.mlir:6:8: error: @f: relax.nll_loss (%r): expected targets of the sizes of predictions (C2), found 2 for 3; reshape or transpose the targets{{$}}
