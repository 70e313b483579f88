// RUN: not relax-opt %s 2>&1 | filecheck %s

// Booleans are not added.

relax.func @f(%a: !relax.tensor<[n], i1>, %b: !relax.tensor<[k], i64>, %c: !relax.tensor<[k], i1>) -> !relax.object {
  %r = relax.index_put %a, %b, %c {accumulate = true} : (!relax.tensor<[n], i1>, !relax.tensor<[k], i64>, !relax.tensor<[k], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: index_put_C1_bool.mlir:6:8: error: @f: relax.index_put (%r): expected a numeric element type to combine elements (C1), found i1; convert with relax.astype first{{$}}
