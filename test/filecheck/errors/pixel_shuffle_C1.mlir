// RUN: not relax-opt %s 2>&1 | filecheck %s

// An image has three dimensions.

relax.func @f(%x: !relax.tensor<[4, n], f32>) -> !relax.object {
  %r = relax.pixel_shuffle %x {upscale_factor = 2 : i64} : (!relax.tensor<[4, n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: pixel_shuffle_C1.mlir:6:8: error: @f: relax.pixel_shuffle (%r): expected a tensor of rank 3 or more (C1), found one of rank 2; add dimensions with relax.expand_dims or relax.reshape{{$}}
