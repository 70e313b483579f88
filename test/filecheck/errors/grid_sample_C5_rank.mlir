// RUN: not relax-opt %s 2>&1 | filecheck %s

// A grid has four axes.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.tensor<[5, 5, 2], f32>) -> !relax.object {
  %r = relax.grid_sample %a, %b : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.tensor<[5, 5, 2], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: grid_sample_C5_rank.mlir:6:8: error: @f: relax.grid_sample (%r): expected 'grid' of rank 4 (C5), found rank 3; write a shape [n, h, w, 2]{{$}}
