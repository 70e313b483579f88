// RUN: not relax-opt %s 2>&1 | filecheck %s

// A symbolic value is known.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %s = "relax.symbolic_value"() <{expression = #relax.expr<?>}> : () -> i64
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: symbolic_value_unknown.mlir:6:59: error: cannot read the symbolic size '?': expected an integer, a variable
