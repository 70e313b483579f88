// RUN: not relax-opt %s 2>&1 | filecheck %s

// Sizes stand in brackets.

relax.func @f(%x: !relax.tensor<n, f32>) -> !relax.object {
  relax.return %x : !relax.tensor<n, f32>
}

// CHECK: type_dims.mlir:5:32: error: shape 'n': expected '*' or a list of dimensions in brackets, as in [n, 4, ?]{{$}}
