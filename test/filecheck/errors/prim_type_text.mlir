// RUN: not relax-opt %s 2>&1 | filecheck %s

// The value of a number is written as sizes are.

relax.func @f(%v: !relax.prim<n // 2>) -> !relax.object {
  relax.return %v : !relax.prim<n floordiv 2>
}

// CHECK: prim_type_text.mlir:5:30: error: cannot read the symbolic size 'n // 2': expected one of '+', '-', '*', 'floordiv', 'ceildiv', 'mod' or the end, found '//' at column 3; write 'floordiv' for the quotient rounded down ('//' starts a comment){{$}}
