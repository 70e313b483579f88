// RUN: not relax-opt %s 2>&1 | filecheck %s

// Numbers are no literals.

relax.func @f() -> !relax.object {
  %s = relax.literal 1 : i32
  relax.return %s : !relax.object
}

// CHECK: literal_C1.mlir:6:8: error: @f: relax.literal (%s): expected a string or an element type (C1), found 1 : i32; write numbers with relax.constant or relax.prim_value{{$}}
