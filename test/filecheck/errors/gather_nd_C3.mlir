// RUN: not relax-opt %s 2>&1 | filecheck %s

// The last dimension of the indices is no batch.

relax.func @f(%a: !relax.tensor<[b, n], f32>, %b: !relax.tensor<[b, 1], i64>) -> !relax.object {
  %r = relax.gather_nd %a, %b {batch_dims = 2 : i64} : (!relax.tensor<[b, n], f32>, !relax.tensor<[b, 1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: gather_nd_C3.mlir:6:8: error: @f: relax.gather_nd (%r): expected batch_dims to be less than the rank of 'indices', 2 (C3), found 2; correct batch_dims{{$}}
