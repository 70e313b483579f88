// RUN: not relax-opt %s 2>&1 | filecheck %s

// An axis is missing.

relax.func @f(%x: !relax.tensor<[3, 4], f32>) -> !relax.object {
  %r = relax.permute_dims %x {axes = array<i64: 0>} : (!relax.tensor<[3, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: permute_dims_C1_missing.mlir:6:8: error: @f: relax.permute_dims (%r): expected 2 axes, one for each of x (C1), found [0]; name every axis once{{$}}
