// RUN: not relax-opt %s 2>&1 | filecheck %s

// Bounds stand in vectors.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[1, 1], i64>, %c: !relax.tensor<[1], i64>, %d: !relax.tensor<[1], i64>) -> !relax.object {
  %r = relax.dynamic_strided_slice %a, %b, %c, %d : (!relax.tensor<[n], f32>, !relax.tensor<[1, 1], i64>, !relax.tensor<[1], i64>, !relax.tensor<[1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: dynamic_strided_slice_C2_rank.mlir:6:8: error: @f: relax.dynamic_strided_slice (%r): expected 'begin' of rank 1 (C2), found rank 2; flatten it first{{$}}
