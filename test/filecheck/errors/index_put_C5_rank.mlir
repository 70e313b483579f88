// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two elements take no matrix of values.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[2], i64>, %c: !relax.tensor<[1, 2], f32>) -> !relax.object {
  %r = relax.index_put %a, %b, %c : (!relax.tensor<[n], f32>, !relax.tensor<[2], i64>, !relax.tensor<[1, 2], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: index_put_C5_rank.mlir:6:8: error: @f: relax.index_put (%r): expected 'values' to broadcast to the elements at the indices (C5), found rank 2 for 1; take some of the values{{$}}
