// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function value has no size that could be read.

relax.func @f(%g: !relax.func<(!relax.tensor<[n], f32>) -> !relax.object>) -> !relax.object {
  relax.return %g : !relax.func<(!relax.tensor<[n], f32>) -> !relax.object>
}

// CHECK: symbol_only_in_function_type.mlir:5:15: error: @f: expected every symbolic variable of the parameters to be a whole dimension of one of them, or the only unknown of an affine one such as 4 * n (S2), found 'n' in !relax.func<(!relax.tensor<[n], f32>) -> !relax.object>; add a parameter of type !relax.shape<[n]> or !relax.prim<n>{{$}}
