// RUN: not relax-opt %s 2>&1 | filecheck %s

// A let has the type of its value.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %y = relax.let %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], i1>
  relax.return %y : !relax.tensor<[], i1>
}

// CHECK: let_result.mlir:6:8: error: @f: relax.let (%y): expected result type !relax.tensor<[], f32> as inferred (T1), found !relax.tensor<[], i1>; correct the declared type{{$}}
