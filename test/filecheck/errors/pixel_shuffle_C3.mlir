// RUN: not relax-opt %s 2>&1 | filecheck %s

// 4 * c + 2 channels are no blocks of 4.

relax.func @f(%x: !relax.tensor<[4 * c + 2, n, m], f32>, %sizes: !relax.shape<[c]>) -> !relax.object {
  %r = relax.pixel_shuffle %x {upscale_factor = 2 : i64} : (!relax.tensor<[4 * c + 2, n, m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: pixel_shuffle_C3.mlir:6:8: error: @f: relax.pixel_shuffle (%r): expected a number of channels divisible by 4 (C3), found 4 * c + 2; pad, slice or reshape the tensor{{$}}
