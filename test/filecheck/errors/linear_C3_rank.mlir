// RUN: not relax-opt %s 2>&1 | filecheck %s

// The bias is a matrix.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[3, 4], f32>, %z: !relax.tensor<[1, 3], f32>) -> !relax.object {
  %r = relax.linear %x, %y, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[3, 4], f32>, !relax.tensor<[1, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: linear_C3_rank.mlir:6:8: error: @f: relax.linear (%r): expected 'bias' of rank 1 (C3), found rank 2; reshape 'bias'{{$}}
