// RUN: not relax-opt %s 2>&1 | filecheck %s

// A letter of the result that no operand has.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.einsum %x {subscripts = "ij->ik"} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: einsum_C4.mlir:6:8: error: @f: relax.einsum (%r): expected letters of the operands in the result (C4), found k; name axes of the operands{{$}}
