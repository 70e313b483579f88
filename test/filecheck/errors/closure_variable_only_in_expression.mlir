// RUN: not relax-opt %s 2>&1 | filecheck %s

// A closure's own variable is a dimension of a parameter, or affine dimensions define it.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %g = relax.closure [k] (%y: !relax.tensor<[k floordiv 2], f32>) -> !relax.object {
    relax.return %y : !relax.tensor<[k floordiv 2], f32>
  }
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: closure_variable_only_in_expression.mlir:6:8: error: @f: relax.closure (%g): expected each variable in brackets to be a whole dimension of a parameter, or the only unknown of an affine one (C3), found 'k', which is neither; add a parameter of type !relax.shape<[k]> or !relax.prim<k>{{$}}
