// RUN: not relax-opt %s 2>&1 | filecheck %s

// Three output paddings for two axes.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], f32>, %w: !relax.tensor<[4, 6, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d_transpose %x, %w {output_padding = array<i64: 0, 0, 0>} : (!relax.tensor<[1, 4, 8, 8], f32>, !relax.tensor<[4, 6, 3, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_transpose_C9_count.mlir:6:8: error: @f: relax.conv2d_transpose (%r): expected 'output_padding' to be 1 or 2 numbers of 0 or more (C9), found [0, 0, 0]; write one for each of H, W{{$}}
