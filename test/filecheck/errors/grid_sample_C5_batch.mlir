// RUN: not relax-opt %s 2>&1 | filecheck %s

// Every image has its grid.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.tensor<[2, 5, 5, 2], f32>) -> !relax.object {
  %r = relax.grid_sample %a, %b : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.tensor<[2, 5, 5, 2], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: grid_sample_C5_batch.mlir:6:8: error: @f: relax.grid_sample (%r): expected as many grids as images (C5), found 2 and 1; correct the shape of 'grid'{{$}}
