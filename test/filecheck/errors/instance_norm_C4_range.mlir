// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such axis.

relax.func @f(%x: !relax.tensor<[2, 3, 4, 4], f32>, %gamma: !relax.tensor<[3], f32>, %beta: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.instance_norm %x, %gamma, %beta {channel_axis = 4 : i64, axes = array<i64: 2, 3>} : (!relax.tensor<[2, 3, 4, 4], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: instance_norm_C4_range.mlir:6:8: error: @f: relax.instance_norm (%r): expected an axis from -4 to 3 for a tensor of rank 4 (C4), found 4; axes count from zero, negative ones from the end{{$}}
