// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number that is the same for several values of a variable does not define it.

relax.func @f(%v: !relax.prim<n mod 2>) -> !relax.object {
  relax.return %v : !relax.prim<n mod 2>
}

// CHECK: prim_variable_undefined.mlir:5:15: error: @f: expected every symbolic variable of the parameters to be a whole dimension of one of them, or the only unknown of an affine one such as 4 * n (S2), found 'n' in 'n mod 2' of !relax.prim<n mod 2>; add a parameter of type !relax.shape<[n]> or !relax.prim<n>{{$}}
