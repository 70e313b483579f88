// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no third axis.

relax.func @f(%x: !relax.tensor<[n, 1], f32>) -> !relax.object {
  %r = relax.squeeze %x {axis = array<i64: 2>} : (!relax.tensor<[n, 1], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: squeeze_C1_range.mlir:6:8: error: @f: relax.squeeze (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C1), found 2; axes count from zero, negative ones from the end{{$}}
