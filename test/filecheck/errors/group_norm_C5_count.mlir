// RUN: not relax-opt %s 2>&1 | filecheck %s

// No group.

relax.func @f(%x: !relax.tensor<[2, 6, 4], f32>, %gamma: !relax.tensor<[6], f32>, %beta: !relax.tensor<[6], f32>) -> !relax.object {
  %r = relax.group_norm %x, %gamma, %beta {num_groups = 0 : i64, channel_axis = 1 : i64, axes = array<i64: 2>} : (!relax.tensor<[2, 6, 4], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: group_norm_C5_count.mlir:6:8: error: @f: relax.group_norm (%r): expected num_groups to be at least 1 (C5), found 0; correct num_groups{{$}}
