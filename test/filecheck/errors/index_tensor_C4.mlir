// RUN: not relax-opt %s 2>&1 | filecheck %s

// Three elements have the indices -3 to 2.

relax.func @f(%a: !relax.tensor<[n, 3], f32>, %b: !relax.tensor<[k], i64>) -> !relax.object {
  %c = relax.constant dense<[0, 3]> : tensor<2xi64>
  %r = relax.index_tensor %a, %b, %c : (!relax.tensor<[n, 3], f32>, !relax.tensor<[k], i64>, !relax.tensor<[2], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: index_tensor_C4.mlir:7:8: error: @f: relax.index_tensor (%r): expected every index to be within -size..size-1 of axis 1 (C4), found 3 for a size of 3; correct the index{{$}}
