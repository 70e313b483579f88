// RUN: not relax-opt %s 2>&1 | filecheck %s

// Both are the first axis of the result.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.expand_dims %x {axis = array<i64: 0, -3>} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: expand_dims_C1_twice.mlir:6:8: error: @f: relax.expand_dims (%r): expected each axis once (C1), found [0, -3]; leave out the repeated ones{{$}}
