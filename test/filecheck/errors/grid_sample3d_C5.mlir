// RUN: not relax-opt %s 2>&1 | filecheck %s

// A place in a volume has three coordinates.

relax.func @f(%x: !relax.tensor<[1, 2, 4, 4, 4], f32>, %g: !relax.tensor<[1, 2, 2, 2, 2], f32>) -> !relax.object {
  %r = relax.grid_sample3d %x, %g : (!relax.tensor<[1, 2, 4, 4, 4], f32>, !relax.tensor<[1, 2, 2, 2, 2], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: grid_sample3d_C5.mlir:6:8: error: @f: relax.grid_sample3d (%r): expected three coordinates in the last dimension of 'grid' (C5), found 2 and 3; correct the shape of 'grid'{{$}}
