// RUN: not relax-opt %s 2>&1 | filecheck %s

// The inner sizes differ.

relax.func @f(%x: !relax.tensor<[n, 4], i8>, %y: !relax.tensor<[5, m], i8>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.matmul_integer %x, %y, %z, %u : (!relax.tensor<[n, 4], i8>, !relax.tensor<[5, m], i8>, !relax.tensor<[], i8>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: matmul_integer_C3.mlir:6:8: error: @f: relax.matmul_integer (%r): expected the last size of lhs to be the last but one of rhs (C3), found 4 and 5; transpose or reshape one of the operands{{$}}
