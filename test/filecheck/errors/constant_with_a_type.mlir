// RUN: not relax-opt %s 2>&1 | filecheck %s

// The type of a constant follows from its elements.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %c = relax.constant dense<1.0> : tensor<2xf32> : !relax.tensor<[2], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: constant_with_a_type.mlir:6:50: error: relax.constant: expected no type, which follows from what it says, found ':'; leave it out{{$}}
