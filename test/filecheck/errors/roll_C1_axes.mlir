// RUN: not relax-opt %s 2>&1 | filecheck %s

// One shift for two axes.

relax.func @f(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.roll %x {shift = array<i64: 1>, axis = array<i64: 0, 1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: roll_C1_axes.mlir:6:8: error: @f: relax.roll (%r): expected as many numbers in shift as there are axes (C1), found [1]; write one for each axis{{$}}
