// RUN: not relax-opt %s 2>&1 | filecheck %s

// Booleans are not added.

relax.func @f(%a: !relax.tensor<[n], i1>, %b: !relax.tensor<[k], i64>, %c: !relax.tensor<[k], i1>) -> !relax.object {
  %r = relax.scatter_elements %a, %b, %c {reduction = "add"} : (!relax.tensor<[n], i1>, !relax.tensor<[k], i64>, !relax.tensor<[k], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: scatter_C1_bool.mlir:6:8: error: @f: relax.scatter_elements (%r): expected a numeric element type to combine elements (C1), found i1; convert with relax.astype first{{$}}
