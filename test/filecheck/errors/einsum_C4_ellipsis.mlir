// RUN: not relax-opt %s 2>&1 | filecheck %s

// The axes of the dots are neither kept nor named.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.einsum %x {subscripts = "...j->j"} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: einsum_C4_ellipsis.mlir:6:8: error: @f: relax.einsum (%r): expected '...' in the result just where operands have it (C4), found ...j->j; write '...' on both sides, or on none{{$}}
