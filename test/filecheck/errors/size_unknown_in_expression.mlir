// RUN: not relax-opt %s 2>&1 | filecheck %s

// An unknown size is no part of an expression.

relax.func @f(%x: !relax.tensor<[? + 1], f32>) -> !relax.object {
  relax.return %x : !relax.tensor<[? + 1], f32>
}

// CHECK: size_unknown_in_expression.mlir:5:32: error: cannot read the symbolic size '? + 1': expected ',' or the end after '?', found '+' at column 3; an unknown size '?' is a whole dimension{{$}}
