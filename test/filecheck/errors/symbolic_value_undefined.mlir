// RUN: not relax-opt %s 2>&1 | filecheck %s

// A symbolic value names variables that are defined.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %s = relax.symbolic_value [k + 1]
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: symbolic_value_undefined.mlir:6:8: error: @f: relax.symbolic_value (%s): expected symbolic variables that are defined (S1), found 'k'; define it
