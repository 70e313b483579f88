// RUN: not relax-opt %s 2>&1 | filecheck %s

// An elementwise operator takes tensors and numbers.

relax.func @f(%x: !relax.tensor<[n], f32>, %s: !relax.shape<[n]>) -> !relax.object {
  %y = relax.add %x, %s : (!relax.tensor<[n], f32>, !relax.shape<[n]>) -> !relax.object
  relax.return %y : !relax.object
}

// CHECK: operand_of_no_type.mlir:6:8: error: @f: relax.add (%y): expected operand 'rhs' of a type that the op takes, found !relax.shape<[n]>; correct the type, or convert the value{{$}}
