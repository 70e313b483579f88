// RUN: not relax-opt %s 2>&1 | filecheck %s

// The second index counts along the second axis.

relax.func @f(%a: !relax.tensor<[9, 5], f32>, %c: !relax.tensor<[], f32>) -> !relax.object {
  %b = relax.constant dense<[0, 7]> : tensor<2xi64>
  %r = relax.scatter_nd %a, %b, %c : (!relax.tensor<[9, 5], f32>, !relax.tensor<[2], i64>, !relax.tensor<[], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: scatter_nd_C5.mlir:7:8: error: @f: relax.scatter_nd (%r): expected every index to be within -size..size-1 of axis 1 (C5), found 7 for a size of 5; correct the index{{$}}
