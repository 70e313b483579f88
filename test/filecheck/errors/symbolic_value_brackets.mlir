// RUN: not relax-opt %s 2>&1 | filecheck %s

// A symbolic value stands in brackets.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %s = relax.symbolic_value n
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: symbolic_value_brackets.mlir:6:29: error: expected a list of symbolic expressions in brackets, as in [n, 2 * m]{{$}}
