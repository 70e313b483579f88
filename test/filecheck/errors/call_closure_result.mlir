// RUN: not relax-opt %s 2>&1 | filecheck %s

// A call's declared type is as wide as the function's.

relax.func @f(%g: !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, %x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.call_closure %g, %x : (!relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
  relax.return %r : !relax.tensor<[], i1>
}

// CHECK: call_closure_result.mlir:6:8: error: @f: relax.call_closure (%r): expected result type !relax.tensor<[], f32> as inferred (T1), found !relax.tensor<[], i1>; correct the declared type{{$}}
