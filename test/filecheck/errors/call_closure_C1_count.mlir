// RUN: not relax-opt %s 2>&1 | filecheck %s

// A closure gets as many arguments as it has parameters.

relax.func @f(%g: !relax.func<(!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, %x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.call_closure %g, %x : (!relax.func<(!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: call_closure_C1_count.mlir:6:8: error: @f: relax.call_closure (%r): expected as many arguments as parameters, 2 (C1), found 1; pass one for each parameter{{$}}
