// RUN: not relax-opt %s 2>&1 | filecheck %s

// Both are the last axis.

relax.func @f(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.roll %x {shift = array<i64: 1, 1>, axis = array<i64: 1, -1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: roll_C2_twice.mlir:6:8: error: @f: relax.roll (%r): expected each axis once (C2), found [1, -1]; leave out the repeated ones{{$}}
