// RUN: not relax-opt %s 2>&1 | filecheck %s

// The window is wider than the image.

relax.func @f(%x: !relax.tensor<[1, 4, h, 1], f32>) -> !relax.object {
  %r = relax.max_pool2d %x {pool_size = array<i64: 1, 3>} : (!relax.tensor<[1, 4, h, 1], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: max_pool2d_C3.mlir:6:8: error: @f: relax.max_pool2d (%r): expected a size of 0 or more along W of the result (C3), found -1; pad x, or narrow the window{{$}}
