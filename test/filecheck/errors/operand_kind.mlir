// RUN: not relax-opt %s 2>&1 | filecheck %s

// An operator takes tensors.

relax.func @f(%p: !relax.object) -> !relax.object {
  %y = relax.exp %p : (!relax.object) -> !relax.object
  relax.return %p : !relax.object
}

// CHECK: operand_kind.mlir:6:8: error: @f: relax.exp (%y): expected operand 'x' of kind relax.tensor, found !relax.object; correct the type{{$}}
