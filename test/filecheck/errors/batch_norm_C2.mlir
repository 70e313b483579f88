// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such axis.

relax.func @f(%x: !relax.tensor<[2, 3], f32>, %gamma: !relax.tensor<[3], f32>, %beta: !relax.tensor<[3], f32>, %mean: !relax.tensor<[3], f32>, %var: !relax.tensor<[3], f32>) -> !relax.object {
  %ra, %rb, %rc = relax.batch_norm %x, %gamma, %beta, %mean, %var {axis = 2 : i64} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>)
  relax.return %ra : !relax.tensor<*>
}

// CHECK: batch_norm_C2.mlir:6:19: error: @f: relax.batch_norm (%ra, %rb, %rc): expected an axis from -2 to 1 for a tensor of rank 2 (C2), found 2; axes count from zero, negative ones from the end{{$}}
