// RUN: not relax-opt %s 2>&1 | filecheck %s

// Blocks of 8 output channels where the layout says 16.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], f32>, %w: !relax.tensor<[2, 4, 3, 3, 8], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w {kernel_layout = "OIHW16o"} : (!relax.tensor<[1, 4, 8, 8], f32>, !relax.tensor<[2, 4, 3, 3, 8], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_C6_block.mlir:6:8: error: @f: relax.conv2d (%r): expected 'weight' to have a size of 16 along o of OIHW16o (C6), found 8; use the layout of such blocks, or relax.layout_transform{{$}}
