// RUN: not relax-opt %s 2>&1 | filecheck %s

// A parenthesis is closed.

relax.func @f(%x: !relax.tensor<[2 * (n + 1], f32>) -> !relax.object {
  relax.return %x : !relax.tensor<[2 * (n + 1], f32>
}

// CHECK: size_parenthesis_unclosed.mlir:5:32: error: cannot read the symbolic size '2 * (n + 1': expected an operator or ')', found the end of the text at column 11{{$}}
