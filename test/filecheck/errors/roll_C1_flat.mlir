// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two shifts for the flat tensor.

relax.func @f(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.roll %x {shift = array<i64: 1, 2>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: roll_C1_flat.mlir:6:8: error: @f: relax.roll (%r): expected one number in shift without axis (C1), found [1, 2]; write one for each axis{{$}}
