// RUN: not relax-opt %s 2>&1 | filecheck %s

// An axis without a partner.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.tensordot %x, %y {lhs_axes = array<i64: 0, 1>, rhs_axes = array<i64: 0>} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: tensordot_C2.mlir:6:8: error: @f: relax.tensordot (%r): expected as many axes of x1 as of x2 (C2), found 2 and 1; name them in pairs{{$}}
