// RUN: not relax-opt %s 2>&1 | filecheck %s

// Groups that do not divide the channels.

relax.func @f(%x: !relax.tensor<[2, 6, 4], f32>, %gamma: !relax.tensor<[6], f32>, %beta: !relax.tensor<[6], f32>) -> !relax.object {
  %r = relax.group_norm %x, %gamma, %beta {num_groups = 4 : i64, channel_axis = 1 : i64, axes = array<i64: 2>} : (!relax.tensor<[2, 6, 4], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: group_norm_C5_divides.mlir:6:8: error: @f: relax.group_norm (%r): expected 4 groups to divide the channels of x (C5), found 6; correct 'num_groups'{{$}}
