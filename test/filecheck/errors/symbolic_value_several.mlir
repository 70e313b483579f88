// RUN: not relax-opt %s 2>&1 | filecheck %s

// A symbolic value is one expression.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %s = relax.symbolic_value [n, 2]
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: symbolic_value_several.mlir:6:29: error: cannot read the symbolic size 'n, 2': expected one of
