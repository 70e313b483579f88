// RUN: not relax-opt %s 2>&1 | filecheck %s

// Variables are local to their function.

relax.func @g(%x: !relax.tensor<[m], f32>) -> !relax.object {
  relax.return %x : !relax.tensor<[m], f32>
}
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %s = relax.shape [m]
  relax.return %s : !relax.shape<[m]>
}

// CHECK: symbol_of_other_function.mlir:9:8: error: @f: relax.shape (%s): expected symbolic variables that are defined (S1), found 'm'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
