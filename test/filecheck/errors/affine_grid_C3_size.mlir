// RUN: not relax-opt %s 2>&1 | filecheck %s

// A map of planes has two rows of three numbers.

relax.func @f(%a: !relax.tensor<[n, 2, 2], f32>, %b: !relax.shape<[4, 4]>) -> !relax.object {
  %r = relax.affine_grid %a, %b : (!relax.tensor<[n, 2, 2], f32>, !relax.shape<[4, 4]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: affine_grid_C3_size.mlir:6:8: error: @f: relax.affine_grid (%r): expected axis 2 of 'data' to be 3 long for 2 numbers in 'size' (C3), found 2 and 3; correct 'data'{{$}}
