// RUN: not relax-opt %s 2>&1 | filecheck %s

// Three rows and two rows are no common batch.

relax.func @f(%a: !relax.tensor<[3, n], f32>, %b: !relax.tensor<[2, k, 1], i64>) -> !relax.object {
  %r = relax.gather_nd %a, %b {batch_dims = 1 : i64} : (!relax.tensor<[3, n], f32>, !relax.tensor<[2, k, 1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: gather_nd_C4.mlir:6:8: error: @f: relax.gather_nd (%r): expected the size of axis 0 of 'data' and 'indices' to be equal (C4), found 3 and 2; correct 'batch_dims' or the shapes{{$}}
