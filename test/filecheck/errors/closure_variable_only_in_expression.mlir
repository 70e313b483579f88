// RUN: not relax-opt %s 2>&1 | filecheck %s

// A closure's own variable stands alone as a dimension of a parameter.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %g = relax.closure [k] (%y: !relax.tensor<[2 * k], f32>) -> !relax.object {
    relax.return %y : !relax.tensor<[2 * k], f32>
  }
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: closure_variable_only_in_expression.mlir:6:8: error: @f: relax.closure (%g): expected each variable in brackets to be a whole dimension of a parameter (C3), found 'k', which is one of none; add a parameter of type !relax.shape<[k]> or !relax.prim<k>{{$}}
