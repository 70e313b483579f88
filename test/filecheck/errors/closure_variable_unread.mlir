// RUN: not relax-opt %s 2>&1 | filecheck %s

// A closure's own variable stands in one of its parameters.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %g = relax.closure [k] (%y: !relax.tensor<[], f32>) -> !relax.object {
    relax.return %y : !relax.tensor<[], f32>
  }
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: closure_variable_unread.mlir:6:8: error: @f: relax.closure (%g): expected each variable in brackets to be a whole dimension of a parameter, or the only unknown of an affine one (C3), found 'k', which is neither; add a parameter of type !relax.shape<[k]> or !relax.prim<k>{{$}}
