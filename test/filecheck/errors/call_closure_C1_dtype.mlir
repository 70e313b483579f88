// RUN: not relax-opt %s 2>&1 | filecheck %s

// A closure's arguments fit its parameters.

relax.func @f(%g: !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, %x: !relax.tensor<[], i1>) -> !relax.object {
  %r = relax.call_closure %g, %x : (!relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], i1>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: call_closure_C1_dtype.mlir:6:8: error: @f: relax.call_closure (%r): expected argument 0 of type !relax.tensor<[], f32> (C1), found !relax.tensor<[], i1>; correct the argument or the parameter{{$}}
