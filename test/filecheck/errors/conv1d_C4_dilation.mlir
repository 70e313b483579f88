// RUN: not relax-opt %s 2>&1 | filecheck %s

// A window whose elements fall together.

relax.func @f(%x: !relax.tensor<[1, 4, 8], f32>, %w: !relax.tensor<[6, 4, 3], f32>) -> !relax.object {
  %r = relax.conv1d %x, %w {dilation = array<i64: 0>} : (!relax.tensor<[1, 4, 8], f32>, !relax.tensor<[6, 4, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv1d_C4_dilation.mlir:6:8: error: @f: relax.conv1d (%r): expected 'dilation' to be 1 number of 1 or more (C4), found [0]; write one for each of W{{$}}
