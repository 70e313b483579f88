// RUN: not relax-opt %s 2>&1 | filecheck %s

// Four elements have the indices -4 to 3.

relax.func @f(%a: !relax.tensor<[4], f32>, %c: !relax.tensor<[2], f32>) -> !relax.object {
  %b = relax.constant dense<[0, -5]> : tensor<2xi64>
  %r = relax.scatter_elements %a, %b, %c : (!relax.tensor<[4], f32>, !relax.tensor<[2], i64>, !relax.tensor<[2], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: scatter_elements_C5.mlir:7:8: error: @f: relax.scatter_elements (%r): expected every index to be within -size..size-1 of axis 0 (C5), found -5 for a size of 4; correct the index{{$}}
