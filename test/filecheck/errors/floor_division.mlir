// RUN: not relax-opt %s 2>&1 | filecheck %s

// // begins a comment.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %s = relax.shape [n // 2]
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: floor_division.mlir:6:20: error: cannot read the symbolic size 'n // 2': expected one of '+', '-', '*', 'floordiv', 'ceildiv', 'mod' or the end, found '//' at column 3; write 'floordiv' for the quotient rounded down ('//' starts a comment){{$}}
