// RUN: not relax-opt %s 2>&1 | filecheck %s

// Both are the last axis.

relax.func @f(%x: !relax.tensor<[n, 1], f32>) -> !relax.object {
  %r = relax.squeeze %x {axis = array<i64: 1, -1>} : (!relax.tensor<[n, 1], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: squeeze_C1_twice.mlir:6:8: error: @f: relax.squeeze (%r): expected each axis once (C1), found [1, -1]; leave out the repeated ones{{$}}
