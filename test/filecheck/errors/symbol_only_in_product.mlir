// RUN: not relax-opt %s 2>&1 | filecheck %s

// m times a size that may be 0 does not define m.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m * n], f32>) -> !relax.object {
  relax.return %y : !relax.tensor<[m * n], f32>
}

// CHECK: symbol_only_in_product.mlir:5:44: error: @f: expected every symbolic variable of the parameters to be a whole dimension of one of them, or the only unknown of an affine one such as 4 * m (S2), found 'm' in 'm * n' of !relax.tensor<[m * n], f32>; add a parameter of type !relax.shape<[m]> or !relax.prim<m>{{$}}
