// RUN: not relax-opt %s 2>&1 | filecheck %s

// Indices are integers.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[k], i1>) -> !relax.object {
  %r = relax.gather_elements %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[k], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: gather_elements_C1.mlir:6:8: error: @f: relax.gather_elements (%r): expected an integer element type of 'indices' (C1), found i1; convert with relax.astype first{{$}}
