// RUN: not relax-opt %s 2>&1 | filecheck %s

// Batches are counted from zero.

relax.func @f(%a: !relax.tensor<[b, n], f32>, %b: !relax.tensor<[b, 1], i64>) -> !relax.object {
  %r = relax.gather_nd %a, %b {batch_dims = -1 : i64} : (!relax.tensor<[b, n], f32>, !relax.tensor<[b, 1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: gather_nd_C3_negative.mlir:6:8: error: @f: relax.gather_nd (%r): expected batch_dims to be at least 0 (C3), found -1; correct batch_dims{{$}}
