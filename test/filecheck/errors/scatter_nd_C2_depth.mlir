// RUN: not relax-opt %s 2>&1 | filecheck %s

// A vector has one index.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[k, 2], i64>, %c: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.scatter_nd %a, %b, %c : (!relax.tensor<[n], f32>, !relax.tensor<[k, 2], i64>, !relax.tensor<[k], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: scatter_nd_C2_depth.mlir:6:8: error: @f: relax.scatter_nd (%r): expected at most 1 indices in a row for !relax.tensor<[n], f32> (C2), found 2; correct the last size of 'indices'{{$}}
