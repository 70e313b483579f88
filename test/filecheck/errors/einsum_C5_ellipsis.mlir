// RUN: not relax-opt %s 2>&1 | filecheck %s

// The axes of the dots do not broadcast.

relax.func @f(%x: !relax.tensor<[2], f32>, %y: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "...,..."} : (!relax.tensor<[2], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: einsum_C5_ellipsis.mlir:6:8: error: @f: relax.einsum (%r): expected sizes to broadcast: to be equal, or one of them 1, found 2 and 3; slice or reshape one of the operands{{$}}
