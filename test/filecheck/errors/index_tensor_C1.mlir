// RUN: not relax-opt %s 2>&1 | filecheck %s

// Masks are no indices.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[n], i1>) -> !relax.object {
  %r = relax.index_tensor %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: index_tensor_C1.mlir:6:8: error: @f: relax.index_tensor (%r): expected an integer element type of 'indices' (C1), found i1; convert with relax.astype first{{$}}
