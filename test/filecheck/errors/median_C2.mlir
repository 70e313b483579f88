// RUN: not relax-opt %s 2>&1 | filecheck %s

// The tensor has two axes.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r0, %r1 = relax.median %x {axis = array<i64: -3>} : (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: median_C2.mlir:6:14: error: @f: relax.median (%r0, %r1): expected an axis from -2 to 1 for a tensor of rank 2 (C2), found -3; axes count from zero, negative ones from the end{{$}}
