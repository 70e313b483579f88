// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function that may have effects is no pure one.

relax.func @f(%g: !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>, impure>) -> !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>> {
  relax.return %g : !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>, impure>
}

// CHECK: func_type_impure.mlir:6:3: error: @f: relax.return: expected a value of the declared result type !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>> (C2), found !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>, impure>; correct the result type, or narrow the value with a relax.match_cast{{$}}
