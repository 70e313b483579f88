// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number that is not known is an i64.

relax.func @f(%v: !relax.prim<?>) -> !relax.object {
  relax.return %v : !relax.prim<?>
}

// CHECK: prim_type_unknown.mlir:5:30: error: !relax.prim: expected a symbolic expression, found '?'; write i64 for a number that is not known{{$}}
