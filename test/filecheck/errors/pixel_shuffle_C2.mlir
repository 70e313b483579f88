// RUN: not relax-opt %s 2>&1 | filecheck %s

// A block has at least one pixel.

relax.func @f(%x: !relax.tensor<[4, n, m], f32>) -> !relax.object {
  %r = relax.pixel_shuffle %x {upscale_factor = 0 : i64} : (!relax.tensor<[4, n, m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: pixel_shuffle_C2.mlir:6:8: error: @f: relax.pixel_shuffle (%r): expected upscale_factor to be at least 1 (C2), found 0; correct upscale_factor{{$}}
