// RUN: not relax-opt %s 2>&1 | filecheck %s

// One letter for two sizes.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[5, m], f32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "ij,jk->ik"} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[5, m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: einsum_C5.mlir:6:8: error: @f: relax.einsum (%r): expected axes of one letter to have one size or 1 (C5), found 4 and 5; slice or reshape one of the operands{{$}}
