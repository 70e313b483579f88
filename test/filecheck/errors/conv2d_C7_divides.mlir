// RUN: not relax-opt %s 2>&1 | filecheck %s

// Groups that do not divide the channels.

relax.func @f(%x: !relax.tensor<[1, 16, 8, 8], f32>, %w: !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w {groups = 4 : i64} : (!relax.tensor<[1, 16, 8, 8], f32>, !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_C7_divides.mlir:6:8: error: @f: relax.conv2d (%r): expected 4 groups to divide the channels O of 'weight' (C7), found 6; correct 'groups' or 'weight'{{$}}
