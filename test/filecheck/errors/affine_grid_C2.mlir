// RUN: not relax-opt %s 2>&1 | filecheck %s

// There are planes and volumes.

relax.func @f(%a: !relax.tensor<[n, 2, 3], f32>, %b: !relax.shape<[4]>) -> !relax.object {
  %r = relax.affine_grid %a, %b : (!relax.tensor<[n, 2, 3], f32>, !relax.shape<[4]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: affine_grid_C2.mlir:6:8: error: @f: relax.affine_grid (%r): expected two or three numbers in 'size' (C2), found 1; correct 'size'{{$}}
