// RUN: not relax-opt %s 2>&1 | filecheck %s

// A result is of the type of the parameter that it is written over.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {inplace_indices = array<i64: 0>} {
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: func_C4_type.mlir:5:1: error: relax.func @f: expected a result of the type of parameter 0, !relax.tensor<[n, 4], f32>, over which it is written (C4), found !relax.tensor<[n], f32>; correct the result type, or inplace_indices{{$}}
