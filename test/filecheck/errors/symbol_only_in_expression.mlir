// RUN: not relax-opt %s 2>&1 | filecheck %s

// Several n have one half, rounded down.

relax.func @f(%x: !relax.tensor<[n floordiv 2], f32>) -> !relax.object {
  relax.return %x : !relax.tensor<[n floordiv 2], f32>
}

// CHECK: symbol_only_in_expression.mlir:5:15: error: @f: expected every symbolic variable of the parameters to be a whole dimension of one of them, or the only unknown of an affine one such as 4 * n (S2), found 'n' in 'n floordiv 2' of !relax.tensor<[n floordiv 2], f32>; add a parameter of type !relax.shape<[n]> or !relax.prim<n>{{$}}
