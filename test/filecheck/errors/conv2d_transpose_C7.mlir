// RUN: not relax-opt %s 2>&1 | filecheck %s

// Groups that do not divide the channels of x.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], f32>, %w: !relax.tensor<[4, 6, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d_transpose %x, %w {groups = 3 : i64} : (!relax.tensor<[1, 4, 8, 8], f32>, !relax.tensor<[4, 6, 3, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_transpose_C7.mlir:6:8: error: @f: relax.conv2d_transpose (%r): expected 3 groups to divide the channels I of 'weight' (C7), found 4; correct 'groups' or 'weight'{{$}}
