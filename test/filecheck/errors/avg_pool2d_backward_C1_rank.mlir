// RUN: not relax-opt %s 2>&1 | filecheck %s

// A cotangent has the rank of what the pool gives.

relax.func @f(%g: !relax.tensor<[n], f32>, %x: !relax.tensor<[n, c, 6, 4], f32>) -> !relax.object {
  %z = relax.avg_pool2d_backward %g, %x {pool_size = array<i64: 2>} : (!relax.tensor<[n], f32>, !relax.tensor<[n, c, 6, 4], f32>) -> !relax.tensor<[n, c, 6, 4], f32>
  relax.return %z : !relax.tensor<[n, c, 6, 4], f32>
}

// CHECK: avg_pool2d_backward_C1_rank.mlir:6:8: error: @f: relax.avg_pool2d_backward (%z): expected an output_grad of the shape of the result (C1), found [n] for [n, c, 5, 3]; correct it{{$}}
