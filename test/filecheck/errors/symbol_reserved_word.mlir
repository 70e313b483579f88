// RUN: not relax-opt %s 2>&1 | filecheck %s

// A word that is an operation is no variable.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %s = relax.shape [mod]
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: symbol_reserved_word.mlir:6:20: error: cannot read the symbolic size 'mod': expected an integer, a variable, 'min', 'max', 'broadcast', '-' or '(', found 'mod' at column 1{{$}}
