// RUN: not relax-opt %s 2>&1 | filecheck %s

// The kernel of a sequence.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], f32>, %w: !relax.tensor<[6, 4, 3], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w : (!relax.tensor<[1, 4, 8, 8], f32>, !relax.tensor<[6, 4, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_C6_rank.mlir:6:8: error: @f: relax.conv2d (%r): expected 'weight' to have one axis for each letter of OIHW (C6), found [6, 4, 3]; reshape it, or use the operator of that rank{{$}}
