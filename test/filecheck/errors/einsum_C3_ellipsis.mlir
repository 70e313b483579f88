// RUN: not relax-opt %s 2>&1 | filecheck %s

// Too many letters, whatever the dots stand for.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.einsum %x {subscripts = "ijk...->..."} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: einsum_C3_ellipsis.mlir:6:8: error: @f: relax.einsum (%r): expected rank 3 or more of operand 0 (C3), found rank 2; write one letter for each axis, or '...' for some of them{{$}}
