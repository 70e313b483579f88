// RUN: not relax-opt %s 2>&1 | filecheck %s

// Names of functions are unique.

relax.func @f(%x: !relax.object) -> !relax.object {
  relax.return %x : !relax.object
}
relax.func @f(%x: !relax.object) -> !relax.object {
  relax.return %x : !relax.object
}

// CHECK: func_redefined.mlir:8:1: error: builtin.module: expected one definition of each symbol (M2), found a second one of @f; rename one of them{{$}}
