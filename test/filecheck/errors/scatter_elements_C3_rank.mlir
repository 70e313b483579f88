// RUN: not relax-opt %s 2>&1 | filecheck %s

// Every update has a place in the data.

relax.func @f(%a: !relax.tensor<[n, m], f32>, %b: !relax.tensor<[k], i64>, %c: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.scatter_elements %a, %b, %c : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], i64>, !relax.tensor<[k], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: scatter_elements_C3_rank.mlir:6:8: error: @f: relax.scatter_elements (%r): expected tensors of one rank (C3), found 2 and 1; add dimensions with relax.expand_dims or relax.reshape{{$}}
