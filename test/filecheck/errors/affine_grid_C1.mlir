// RUN: not relax-opt %s 2>&1 | filecheck %s

// Coordinates are fractions.

relax.func @f(%a: !relax.tensor<[n, 2, 3], i32>, %b: !relax.shape<[4, 4]>) -> !relax.object {
  %r = relax.affine_grid %a, %b : (!relax.tensor<[n, 2, 3], i32>, !relax.shape<[4, 4]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: affine_grid_C1.mlir:6:8: error: @f: relax.affine_grid (%r): expected a floating-point element type of 'data' (C1), found i32; convert with relax.astype first{{$}}
