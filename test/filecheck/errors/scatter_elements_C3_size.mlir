// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no third column.

relax.func @f(%a: !relax.tensor<[n, 2], f32>, %b: !relax.tensor<[k, 3], i64>, %c: !relax.tensor<[k, 3], f32>) -> !relax.object {
  %r = relax.scatter_elements %a, %b, %c : (!relax.tensor<[n, 2], f32>, !relax.tensor<[k, 3], i64>, !relax.tensor<[k, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: scatter_elements_C3_size.mlir:6:8: error: @f: relax.scatter_elements (%r): expected 'indices' to be at most as long as 'data' along axis 1 (C3), found 3 and 2; slice 'indices'{{$}}
