// RUN: not relax-opt %s 2>&1 | filecheck %s

// A shape type has brackets as well.

relax.func @f(%x: !relax.shape<4>) -> !relax.object {
  relax.return %x : !relax.shape<4>
}

// CHECK: type_shape.mlir:5:31: error: shape '4': expected '*' or a list of dimensions in brackets, as in [n, 4, ?]{{$}}
