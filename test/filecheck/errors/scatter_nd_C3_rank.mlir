// RUN: not relax-opt %s 2>&1 | filecheck %s

// A row is updated by a row.

relax.func @f(%a: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<[k, 1], i64>, %c: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.scatter_nd %a, %b, %c : (!relax.tensor<[n, 4], f32>, !relax.tensor<[k, 1], i64>, !relax.tensor<[k], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: scatter_nd_C3_rank.mlir:6:8: error: @f: relax.scatter_nd (%r): expected 'updates' to have rank 2 (C3), found 1; slice or reshape 'updates'{{$}}
