// RUN: not relax-opt %s 2>&1 | filecheck %s

// A cotangent has the sizes of what the pool gives.

relax.func @f(%g: !relax.tensor<[n, c, 3, 3], f32>, %x: !relax.tensor<[n, c, 6, 4], f32>) -> !relax.object {
  %z = relax.max_pool2d_backward %g, %x {pool_size = array<i64: 2>, strides = array<i64: 2>} : (!relax.tensor<[n, c, 3, 3], f32>, !relax.tensor<[n, c, 6, 4], f32>) -> !relax.tensor<[n, c, 6, 4], f32>
  relax.return %z : !relax.tensor<[n, c, 6, 4], f32>
}

// CHECK: max_pool2d_backward_C1.mlir:6:8: error: @f: relax.max_pool2d_backward (%z): expected an output_grad of the shape of the result (C1), found 3 for 2; correct it{{$}}
