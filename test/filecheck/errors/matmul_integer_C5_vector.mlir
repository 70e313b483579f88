// RUN: not relax-opt %s 2>&1 | filecheck %s

// A vector has one row.

relax.func @f(%x: !relax.tensor<[4], i8>, %y: !relax.tensor<[4, m], i8>, %z: !relax.tensor<[1], i8>, %u: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.matmul_integer %x, %y, %z, %u : (!relax.tensor<[4], i8>, !relax.tensor<[4, m], i8>, !relax.tensor<[1], i8>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: matmul_integer_C5_vector.mlir:6:8: error: @f: relax.matmul_integer (%r): expected 'lhs_zero_point' of rank 0 for a vector (C5), found rank 1; write one number for all{{$}}
