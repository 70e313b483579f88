// RUN: not relax-opt %s 2>&1 | filecheck %s

// A comparison gives booleans.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %c = relax.less %x, %x : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %c : !relax.tensor<[], f32>
}

// CHECK: comparison_result.mlir:6:8: error: @f: relax.less (%c): expected result type !relax.tensor<[], i1> as inferred (T1), found !relax.tensor<[], f32>; correct the declared type{{$}}
