// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no second axis.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.roll %x {shift = array<i64: 1>, axis = array<i64: 1>} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: roll_C2.mlir:6:8: error: @f: relax.roll (%r): expected an axis from -1 to 0 for a tensor of rank 1 (C2), found 1; axes count from zero, negative ones from the end{{$}}
