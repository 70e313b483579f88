// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is one dimension after the batch.

relax.func @f(%a: !relax.tensor<[b, n], f32>, %b: !relax.tensor<[b, k, 2], i64>) -> !relax.object {
  %r = relax.gather_nd %a, %b {batch_dims = 1 : i64} : (!relax.tensor<[b, n], f32>, !relax.tensor<[b, k, 2], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: gather_nd_C2_depth.mlir:6:8: error: @f: relax.gather_nd (%r): expected at most 1 indices in a row for !relax.tensor<[b, n], f32> (C2), found 2; correct the last size of 'indices'{{$}}
