// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number is no batch.

relax.func @f(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.kl_div %x, %y {reduction = "batchmean"} : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: kl_div_C4.mlir:6:8: error: @f: relax.kl_div (%r): expected a tensor of rank 1 or more (C4), found one of rank 0; add dimensions with relax.expand_dims or relax.reshape{{$}}
