// RUN: not relax-opt %s 2>&1 | filecheck %s

// A row of four is updated by four elements.

relax.func @f(%a: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<[k, 1], i64>, %c: !relax.tensor<[k, 3], f32>) -> !relax.object {
  %r = relax.scatter_nd %a, %b, %c : (!relax.tensor<[n, 4], f32>, !relax.tensor<[k, 1], i64>, !relax.tensor<[k, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: scatter_nd_C3_size.mlir:6:8: error: @f: relax.scatter_nd (%r): expected axis 1 of 'updates' to be as long as 'indices' and 'data' say (C3), found 3 and 4; slice or reshape 'updates'{{$}}
