// RUN: not relax-opt %s 2>&1 | filecheck %s

// A constant is a dense tensor.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %c = relax.constant dense<1.0> : vector<2xf32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: constant_vector.mlir:6:23: error: relax.constant: expected a dense tensor (C1), found vector<2xf32>; write dense<...> : tensor<...>{{$}}
