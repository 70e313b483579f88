// RUN: not relax-opt %s 2>&1 | filecheck %s

// The bias is too short.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[3, 4], f32>, %z: !relax.tensor<[2], f32>) -> !relax.object {
  %r = relax.linear %x, %y, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[3, 4], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: linear_C3.mlir:6:8: error: @f: relax.linear (%r): expected 'bias' to be as long as 'weight' has rows (C3), found 2 for 3; slice or reshape 'bias'{{$}}
