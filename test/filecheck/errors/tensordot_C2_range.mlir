// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such axis.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.tensordot %x, %y {lhs_axes = array<i64: 0>, rhs_axes = array<i64: 2>} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: tensordot_C2_range.mlir:6:8: error: @f: relax.tensordot (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C2), found 2; axes count from zero, negative ones from the end{{$}}
