// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no third axis.

relax.func @f(%x: !relax.tensor<[3, 4], f32>) -> !relax.object {
  %r = relax.permute_dims %x {axes = array<i64: 0, 2>} : (!relax.tensor<[3, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: permute_dims_C1_range.mlir:6:8: error: @f: relax.permute_dims (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C1), found 2; axes count from zero, negative ones from the end{{$}}
