// RUN: not relax-opt %s 2>&1 | filecheck %s

// A tensor type says at least its shape.

relax.func @f(%x: !relax.tensor<>) -> !relax.object {
  relax.return %x : !relax.tensor<>
}

// CHECK: type_empty.mlir:5:32: error: shape '': expected '*' or a list of dimensions in brackets, as in [n, 4, ?]{{$}}
