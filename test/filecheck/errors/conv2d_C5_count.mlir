// RUN: not relax-opt %s 2>&1 | filecheck %s

// Three paddings for two axes.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], f32>, %w: !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w {padding = array<i64: 1, 2, 3>} : (!relax.tensor<[1, 4, 8, 8], f32>, !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_C5_count.mlir:6:8: error: @f: relax.conv2d (%r): expected 'padding' to be 1 or 2 or 4 numbers of 0 or more (C5), found [1, 2, 3]; write one for each of H, W, or all before and then all after{{$}}
