// RUN: not relax-opt %s 2>&1 | filecheck %s

// 5 rows are no blocks of 2.

relax.func @f(%x: !relax.tensor<[c, 5, 4], f32>) -> !relax.object {
  %r = relax.pixel_unshuffle %x {downscale_factor = 2 : i64} : (!relax.tensor<[c, 5, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: pixel_unshuffle_C3_height.mlir:6:8: error: @f: relax.pixel_unshuffle (%r): expected a height divisible by 2 (C3), found 5; pad, slice or reshape the tensor{{$}}
