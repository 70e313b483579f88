// RUN: not relax-opt %s 2>&1 | filecheck %s

// Three elements have the indices -3 to 2.

relax.func @f(%a: !relax.tensor<[3], f32>, %c: !relax.tensor<[], f32>) -> !relax.object {
  %b = relax.constant dense<[0, 3]> : tensor<2xi64>
  %r = relax.index_put %a, %b, %c : (!relax.tensor<[3], f32>, !relax.tensor<[2], i64>, !relax.tensor<[], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: index_put_C4.mlir:7:8: error: @f: relax.index_put (%r): expected every index to be within -size..size-1 of axis 0 (C4), found 3 for a size of 3; correct the index{{$}}
