// RUN: not relax-opt %s 2>&1 | filecheck %s

// Every grid has a matrix.

relax.func @f(%a: !relax.tensor<[2, 3], f32>, %b: !relax.shape<[4, 4]>) -> !relax.object {
  %r = relax.affine_grid %a, %b : (!relax.tensor<[2, 3], f32>, !relax.shape<[4, 4]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: affine_grid_C3_rank.mlir:6:8: error: @f: relax.affine_grid (%r): expected 'data' of rank 3 (C3), found rank 2; write a shape [n, d, d + 1]{{$}}
