// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two terms for one operand.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.einsum %x {subscripts = "ij,jk->ik"} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: einsum_C2_count.mlir:6:8: error: @f: relax.einsum (%r): expected one operand for each of 2 terms (C2), found 1; separate the terms by commas{{$}}
