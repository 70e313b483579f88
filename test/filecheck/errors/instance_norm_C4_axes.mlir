// RUN: not relax-opt %s 2>&1 | filecheck %s

// The channels are normalized over.

relax.func @f(%x: !relax.tensor<[2, 3, 4, 4], f32>, %gamma: !relax.tensor<[3], f32>, %beta: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.instance_norm %x, %gamma, %beta {channel_axis = 1 : i64, axes = array<i64: 1, 2, 3>} : (!relax.tensor<[2, 3, 4, 4], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: instance_norm_C4_axes.mlir:6:8: error: @f: relax.instance_norm (%r): expected a 'channel_axis' that is none of the axes (C4), found 1; leave it out of 'axes'{{$}}
