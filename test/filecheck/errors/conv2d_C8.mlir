// RUN: not relax-opt %s 2>&1 | filecheck %s

// The kernel reads other channels than there are.

relax.func @f(%x: !relax.tensor<[1, 3, h, w], f32>, %w: !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w : (!relax.tensor<[1, 3, h, w], f32>, !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_C8.mlir:6:8: error: @f: relax.conv2d (%r): expected x to have the channels that 'weight' reads (C8), found 3 where it reads 4; correct x, 'weight' or 'groups'{{$}}
