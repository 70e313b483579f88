// RUN: not relax-opt %s 2>&1 | filecheck %s

// No parameter and no match defines m.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %s = relax.shape [n, m]
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: symbol_undefined.mlir:6:8: error: @f: relax.shape (%s): expected symbolic variables that are defined (S1), found 'm'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
