// RUN: not relax-opt %s 2>&1 | filecheck %s

// Both have one element type.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.tensor<[1, 5, 5, 2], f16>) -> !relax.object {
  %r = relax.grid_sample %a, %b : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.tensor<[1, 5, 5, 2], f16>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: grid_sample_C4_dtypes.mlir:6:8: error: @f: relax.grid_sample (%r): expected operands of one element type (C4), found f32 and f16; convert one of them with relax.astype{{$}}
