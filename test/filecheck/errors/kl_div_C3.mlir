// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such reduction.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.kl_div %x, %y {reduction = "average"} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: kl_div_C3.mlir:6:8: error: @f: relax.kl_div (%r): expected 'reduction' to be one of "mean", "sum", "none", "batchmean" (C3), found "average"; correct 'reduction'{{$}}
