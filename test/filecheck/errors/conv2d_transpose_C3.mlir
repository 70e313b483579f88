// RUN: not relax-opt %s 2>&1 | filecheck %s

// More is cut off than there is.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], f32>, %w: !relax.tensor<[4, 6, 1, 1], f32>) -> !relax.object {
  %r = relax.conv2d_transpose %x, %w {padding = array<i64: 5>} : (!relax.tensor<[1, 4, 8, 8], f32>, !relax.tensor<[4, 6, 1, 1], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_transpose_C3.mlir:6:8: error: @f: relax.conv2d_transpose (%r): expected a size of 0 or more along H of the result (C3), found -2; pad x, or narrow the window{{$}}
