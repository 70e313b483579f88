// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function returns.

relax.func @f(%x: !relax.object) -> !relax.object {
  %s = relax.shape [1]
}

// CHECK: func_no_return.mlir:5:1: error: relax.func @f: expected a relax.return at the end (C1), found relax.shape; add one{{$}}
