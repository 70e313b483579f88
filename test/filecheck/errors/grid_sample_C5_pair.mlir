// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two coordinates say where.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.tensor<[1, 5, 5, 3], f32>) -> !relax.object {
  %r = relax.grid_sample %a, %b : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.tensor<[1, 5, 5, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: grid_sample_C5_pair.mlir:6:8: error: @f: relax.grid_sample (%r): expected two coordinates in the last dimension of 'grid' (C5), found 3 and 2; correct the shape of 'grid'{{$}}
