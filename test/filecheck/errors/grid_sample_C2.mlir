// RUN: not relax-opt %s 2>&1 | filecheck %s

// Images have four axes.

relax.func @f(%a: !relax.tensor<[3, 4, 4], f32>, %b: !relax.tensor<[1, 5, 5, 2], f32>) -> !relax.object {
  %r = relax.grid_sample %a, %b : (!relax.tensor<[3, 4, 4], f32>, !relax.tensor<[1, 5, 5, 2], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: grid_sample_C2.mlir:6:8: error: @f: relax.grid_sample (%r): expected 'x' to have one axis for each letter of NCHW (C2), found [3, 4, 4]; reshape it, or use the operator of that rank{{$}}
