// RUN: not relax-opt %s 2>&1 | filecheck %s

// The window is wider than the image.

relax.func @f(%x: !relax.tensor<[1, 4, h, 1], f32>, %w: !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w : (!relax.tensor<[1, 4, h, 1], f32>, !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_C3.mlir:6:8: error: @f: relax.conv2d (%r): expected a size of 0 or more along W of the result (C3), found -1; pad x, or narrow the window{{$}}
