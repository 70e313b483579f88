// RUN: not relax-opt %s 2>&1 | filecheck %s

// Images are weighed by fractions.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], i8>, %b: !relax.tensor<[1, 5, 5, 2]>) -> !relax.object {
  %r = relax.grid_sample %a, %b : (!relax.tensor<[1, 3, 4, 4], i8>, !relax.tensor<[1, 5, 5, 2]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: grid_sample_C4_float.mlir:6:8: error: @f: relax.grid_sample (%r): expected a floating-point element type of 'x' (C4), found i8; convert with relax.astype first{{$}}
