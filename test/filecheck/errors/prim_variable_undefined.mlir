// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number in an expression defines no variable.

relax.func @f(%v: !relax.prim<2 * n>) -> !relax.object {
  relax.return %v : !relax.prim<2 * n>
}

// CHECK: prim_variable_undefined.mlir:5:15: error: @f: expected every symbolic variable of the parameters to be a whole dimension of one of them (S2), found 'n' only inside an expression of !relax.prim<2 * n>; add a parameter of type !relax.shape<[n]> or !relax.prim<n>{{$}}
