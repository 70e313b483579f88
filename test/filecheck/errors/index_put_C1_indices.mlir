// RUN: not relax-opt %s 2>&1 | filecheck %s

// Masks are no indices.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[n], i1>, %c: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.index_put %a, %b, %c : (!relax.tensor<[n], f32>, !relax.tensor<[n], i1>, !relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: index_put_C1_indices.mlir:6:8: error: @f: relax.index_put (%r): expected an integer element type of 'indices' (C1), found i1; convert with relax.astype first{{$}}
