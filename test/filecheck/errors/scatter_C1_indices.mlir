// RUN: not relax-opt %s 2>&1 | filecheck %s

// Indices are integers.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[k], f32>, %c: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.scatter_elements %a, %b, %c : (!relax.tensor<[n], f32>, !relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: scatter_C1_indices.mlir:6:8: error: @f: relax.scatter_elements (%r): expected an integer element type of 'indices' (C1), found f32; convert with relax.astype first{{$}}
