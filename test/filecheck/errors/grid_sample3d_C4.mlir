// RUN: not relax-opt %s 2>&1 | filecheck %s

// Both have one element type.

relax.func @f(%x: !relax.tensor<[1, 2, 4, 4, 4], f32>, %g: !relax.tensor<[1, 2, 2, 2, 3], f64>) -> !relax.object {
  %r = relax.grid_sample3d %x, %g : (!relax.tensor<[1, 2, 4, 4, 4], f32>, !relax.tensor<[1, 2, 2, 2, 3], f64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: grid_sample3d_C4.mlir:6:8: error: @f: relax.grid_sample3d (%r): expected operands of one element type (C4), found f32 and f64; convert one of them with relax.astype{{$}}
