// RUN: not relax-opt %s 2>&1 | filecheck %s

// A block has at least one pixel.

relax.func @f(%x: !relax.tensor<[n, 4, 4], f32>) -> !relax.object {
  %r = relax.pixel_unshuffle %x {downscale_factor = -2 : i64} : (!relax.tensor<[n, 4, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: pixel_unshuffle_C2.mlir:6:8: error: @f: relax.pixel_unshuffle (%r): expected downscale_factor to be at least 1 (C2), found -2; correct downscale_factor{{$}}
