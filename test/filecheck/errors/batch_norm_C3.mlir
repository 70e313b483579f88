// RUN: not relax-opt %s 2>&1 | filecheck %s

// The statistics of other channels.

relax.func @f(%x: !relax.tensor<[n, 3], f32>, %gamma: !relax.tensor<[3], f32>, %beta: !relax.tensor<[3], f32>, %mean: !relax.tensor<[3], f32>, %var: !relax.tensor<[4], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = 1 : i64} : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[4], f32>) -> (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>)
  relax.return %ra : !relax.tensor<*>
}

// CHECK: batch_norm_C3.mlir:6:19: error: @f: relax.batch_norm (%ra, %rb, %rc): expected 'moving_var' to have the sizes of x along axes [1] (C3), found [4] for [3]; reshape 'moving_var', or correct the axes{{$}}
