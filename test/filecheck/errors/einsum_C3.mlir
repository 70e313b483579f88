// RUN: not relax-opt %s 2>&1 | filecheck %s

// Too few letters.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.einsum %x {subscripts = "i->i"} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: einsum_C3.mlir:6:8: error: @f: relax.einsum (%r): expected rank 1 of operand 0 (C3), found rank 2; write one letter for each axis, or '...' for some of them{{$}}
