// RUN: not relax-opt %s 2>&1 | filecheck %s

// Each of the sums has two unknown variables.

relax.func @f(%x: !relax.tensor<[m + n, m + 2 * n], f32>) -> !relax.object {
  relax.return %x : !relax.tensor<[m + n, m + 2 * n], f32>
}

// CHECK: symbol_only_in_two_sums.mlir:5:15: error: @f: expected every symbolic variable of the parameters to be a whole dimension of one of them, or the only unknown of an affine one such as 4 * m (S2), found 'm' in 'm + n' of !relax.tensor<[m + n, m + 2 * n], f32>; add a parameter of type !relax.shape<[m]> or !relax.prim<m>{{$}}
