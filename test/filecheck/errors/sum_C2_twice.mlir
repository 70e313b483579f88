// RUN: not relax-opt %s 2>&1 | filecheck %s

// -1 and 1 are the same axis.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.sum %x {axis = array<i64: 1, -1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: sum_C2_twice.mlir:6:8: error: @f: relax.sum (%r): expected each axis once (C2), found [1, -1]; leave out the repeated ones{{$}}
