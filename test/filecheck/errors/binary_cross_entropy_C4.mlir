// RUN: not relax-opt %s 2>&1 | filecheck %s

// The weights do not broadcast.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>, %z: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.binary_cross_entropy %x, %y, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: binary_cross_entropy_C4.mlir:6:8: error: @f: relax.binary_cross_entropy (%r): expected weights that broadcast to predictions (C4), found 3 for 4; reshape the weights{{$}}
