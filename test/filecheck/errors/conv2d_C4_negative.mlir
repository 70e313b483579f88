// RUN: not relax-opt %s 2>&1 | filecheck %s

// A window that moves backwards.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], f32>, %w: !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w {strides = array<i64: 1, -1>} : (!relax.tensor<[1, 4, 8, 8], f32>, !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_C4_negative.mlir:6:8: error: @f: relax.conv2d (%r): expected 'strides' to be 1 or 2 numbers of 1 or more (C4), found [1, -1]; write one for each of H, W{{$}}
