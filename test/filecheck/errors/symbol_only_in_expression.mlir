// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nothing tells n where only 2 * n is known.

relax.func @f(%x: !relax.tensor<[2 * n], f32>) -> !relax.object {
  relax.return %x : !relax.tensor<[2 * n], f32>
}

// CHECK: symbol_only_in_expression.mlir:5:15: error: @f: expected every symbolic variable of the parameters to be a whole dimension of one of them (S2), found 'n' only inside an expression of !relax.tensor<[2 * n], f32>; add a parameter of type !relax.shape<[n]> or !relax.prim<n>{{$}}
