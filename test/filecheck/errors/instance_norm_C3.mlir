// RUN: not relax-opt %s 2>&1 | filecheck %s

// One number for each pixel.

relax.func @f(%x: !relax.tensor<[2, 3, 4, 4], f32>, %gamma: !relax.tensor<[4], f32>, %beta: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.instance_norm %x, %gamma, %beta {channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (!relax.tensor<[2, 3, 4, 4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: instance_norm_C3.mlir:6:8: error: @f: relax.instance_norm (%r): expected 'gamma' to have the sizes of x along axes [1] (C3), found [4] for [3]; reshape 'gamma', or correct the axes{{$}}
