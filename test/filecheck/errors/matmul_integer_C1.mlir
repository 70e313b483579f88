// RUN: not relax-opt %s 2>&1 | filecheck %s

// A matrix of 32 bits.

relax.func @f(%x: !relax.tensor<[n, 4], i8>, %y: !relax.tensor<[4, m], i32>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.matmul_integer %x, %y, %z, %u : (!relax.tensor<[n, 4], i8>, !relax.tensor<[4, m], i32>, !relax.tensor<[], i8>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: matmul_integer_C1.mlir:6:8: error: @f: relax.matmul_integer (%r): expected the element type i8 or ui8 of 'rhs' (C1), found i32; quantize it, or use the operator for all numbers with out_dtype{{$}}
