// RUN: not relax-opt %s 2>&1 | filecheck %s

// The inner sizes differ.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[5, m], f32>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[5, m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: matmul_C3.mlir:6:8: error: @f: relax.matmul (%r): expected the last size of lhs to be the last but one of rhs (C3), found 4 and 5; transpose or reshape one of the operands{{$}}
