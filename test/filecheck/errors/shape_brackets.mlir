// RUN: not relax-opt %s 2>&1 | filecheck %s

// The sizes of a shape stand in brackets.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %s = relax.shape n
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: shape_brackets.mlir:6:20: error: expected a list of symbolic expressions in brackets, as in [n, 2 * m]{{$}}
