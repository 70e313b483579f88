// RUN: not relax-opt %s -p relax-legalize 2>&1 | filecheck %s

// How many indices a row has is part of the loops.

relax.func @f(%x: !relax.tensor<[4, 2], f32>, %i: !relax.tensor<[n, m], i64>, %u: !relax.tensor<[n, k], f32>) -> !relax.tensor<[4, 2], f32> {
  %y = relax.scatter_nd %x, %i, %u {reduction = "add"} : (!relax.tensor<[4, 2], f32>, !relax.tensor<[n, m], i64>, !relax.tensor<[n, k], f32>) -> !relax.tensor<[4, 2], f32>
  relax.return %y : !relax.tensor<[4, 2], f32>
}

// CHECK: scatter_nd_C2_unknown.mlir:6:8: error: relax.scatter_nd (%y): expected a number as the last size of 'indices' (C2), found m; name it by a relax.match_cast of 'indices'{{$}}
