// RUN: not relax-opt %s 2>&1 | filecheck %s

// An axis stands twice.

relax.func @f(%x: !relax.tensor<[3, 4], f32>) -> !relax.object {
  %r = relax.permute_dims %x {axes = array<i64: 1, 1>} : (!relax.tensor<[3, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: permute_dims_C1_twice.mlir:6:8: error: @f: relax.permute_dims (%r): expected each axis once (C1), found [1, 1]; leave out the repeated ones{{$}}
