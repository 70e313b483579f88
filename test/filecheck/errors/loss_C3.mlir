// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such reduction.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.mse_loss %x, %y {reduction = "batchmean"} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: loss_C3.mlir:6:8: error: @f: relax.mse_loss (%r): expected 'reduction' to be one of "mean", "sum", "none" (C3), found "batchmean"; correct 'reduction'{{$}}
