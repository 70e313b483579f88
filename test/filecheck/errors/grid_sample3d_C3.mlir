// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is nothing to sample.

relax.func @f(%x: !relax.tensor<[1, 2, 0, 4, 4], f32>, %g: !relax.tensor<[1, 2, 2, 2, 3], f32>) -> !relax.object {
  %r = relax.grid_sample3d %x, %g : (!relax.tensor<[1, 2, 0, 4, 4], f32>, !relax.tensor<[1, 2, 2, 2, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: grid_sample3d_C3.mlir:6:8: error: @f: relax.grid_sample3d (%r): expected x to have 1 or more elements along D (C3), found 0; leave the operator out for empty images{{$}}
