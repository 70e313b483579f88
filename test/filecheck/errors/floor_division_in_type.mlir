// RUN: not relax-opt %s 2>&1 | filecheck %s

// Also inside of a type.

relax.func @f(%x: !relax.tensor<[n // 2], f32>) -> !relax.object {
  relax.return %x : !relax.tensor<[n // 2], f32>
}

// CHECK: floor_division_in_type.mlir:5:32: error: cannot read the symbolic size 'n // 2': expected one of '+', '-', '*', 'floordiv', 'ceildiv', 'mod' or the end, found '//' at column 3; write 'floordiv' for the quotient rounded down ('//' starts a comment){{$}}
