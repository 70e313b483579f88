// RUN: not relax-opt %s 2>&1 | filecheck %s

// Every index has a place in the data.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[k, 1], i64>) -> !relax.object {
  %r = relax.gather_elements %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[k, 1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: gather_elements_C3_rank.mlir:6:8: error: @f: relax.gather_elements (%r): expected tensors of one rank (C3), found 1 and 2; add dimensions with relax.expand_dims or relax.reshape{{$}}
