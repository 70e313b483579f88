// RUN: not relax-opt %s 2>&1 | filecheck %s

// A vector is no row of a matrix.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.concat %x, %y {axis = 0 : i64} : (!relax.tensor<[n], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: concat_C2.mlir:6:8: error: @f: relax.concat (%r): expected tensors of one rank (C2), found 1 and 2; add dimensions with relax.expand_dims{{$}}
