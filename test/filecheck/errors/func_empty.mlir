// RUN: not relax-opt %s 2>&1 | filecheck %s

// Even an empty one.

relax.func @f(%x: !relax.object) -> !relax.object {
}

// CHECK: func_empty.mlir:5:1: error: relax.func @f: expected a relax.return at the end (C1), found an empty body; add one{{$}}
