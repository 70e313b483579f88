// RUN: not relax-opt %s 2>&1 | filecheck %s

// The result has rank 2.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.expand_dims %x {axis = array<i64: 2>} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: expand_dims_C1_range.mlir:6:8: error: @f: relax.expand_dims (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C1), found 2; axes count from zero, negative ones from the end{{$}}
