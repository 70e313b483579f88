// RUN: not relax-opt %s 2>&1 | filecheck %s

// The result has the elements that the region yields.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], i64> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], i64> {
    %c = arith.constant 0 : index
    %v = relax.element %x[%i, %c] : !relax.tensor<[n, 4], f32>
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[n], i64>
}

// CHECK: compute_element_type.mlir:6:8: error: @main: relax.compute (%y): expected result type !relax.tensor<[n], f32> as inferred (T1), found !relax.tensor<[n], i64>; correct the declared type{{$}}
