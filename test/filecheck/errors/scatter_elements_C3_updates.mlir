// RUN: not relax-opt %s 2>&1 | filecheck %s

// Three updates have three indices.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[2], i64>, %c: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.scatter_elements %a, %b, %c : (!relax.tensor<[n], f32>, !relax.tensor<[2], i64>, !relax.tensor<[3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: scatter_elements_C3_updates.mlir:6:8: error: @f: relax.scatter_elements (%r): expected the size of axis 0 of 'indices' and 'updates' to be equal (C3), found 2 and 3; slice or reshape 'updates'{{$}}
