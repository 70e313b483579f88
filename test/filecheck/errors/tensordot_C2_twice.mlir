// RUN: not relax-opt %s 2>&1 | filecheck %s

// One axis twice.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.tensordot %x, %y {lhs_axes = array<i64: 0, -2>, rhs_axes = array<i64: 0, 1>} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: tensordot_C2_twice.mlir:6:8: error: @f: relax.tensordot (%r): expected each axis once (C2), found [0, -2]; leave out the repeated ones{{$}}
