// RUN: not relax-opt %s 2>&1 | filecheck %s

// Four elements have the indices -4 to 3.

relax.func @f(%a: !relax.tensor<[4], f32>) -> !relax.object {
  %b = relax.constant dense<[0, 4]> : tensor<2xi64>
  %r = relax.take %a, %b {axis = 0 : i64} : (!relax.tensor<[4], f32>, !relax.tensor<[2], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: take_C4.mlir:7:8: error: @f: relax.take (%r): expected every index to be within -size..size-1 of axis 0 (C4), found 4 for a size of 4; correct the index{{$}}
