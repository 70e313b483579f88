// RUN: not relax-opt %s 2>&1 | filecheck %s

// A constant is a dense tensor.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %c = relax.constant 1.0 : f32
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: constant_scalar.mlir:6:23: error: relax.constant: expected a dense tensor (C1), found 1.000000e+00 : f32; write dense<...> : tensor<...>{{$}}
