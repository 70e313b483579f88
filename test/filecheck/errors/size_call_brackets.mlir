// RUN: not relax-opt %s 2>&1 | filecheck %s

// The arguments of min stand in parentheses.

relax.func @f(%x: !relax.tensor<[min n, 4], f32>) -> !relax.object {
  relax.return %x : !relax.tensor<[min n, 4], f32>
}

// CHECK: size_call_brackets.mlir:5:32: error: cannot read the symbolic size 'min n, 4': expected '(' after 'min', found 'n' at column 5; write 'min(a, b)'{{$}}
