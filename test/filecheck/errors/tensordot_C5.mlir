// RUN: not relax-opt %s 2>&1 | filecheck %s

// The sizes differ.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[5, m], f32>) -> !relax.object {
  %r = relax.tensordot %x, %y {lhs_axes = array<i64: 1>, rhs_axes = array<i64: 0>} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[5, m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: tensordot_C5.mlir:6:8: error: @f: relax.tensordot (%r): expected the axes that are summed over to have equal sizes (C5), found 4 and 5; slice or reshape one of the operands{{$}}
