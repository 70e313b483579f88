// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is nothing to sample.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 0], f32>, %b: !relax.tensor<[1, 5, 5, 2], f32>) -> !relax.object {
  %r = relax.grid_sample %a, %b : (!relax.tensor<[1, 3, 4, 0], f32>, !relax.tensor<[1, 5, 5, 2], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: grid_sample_C3.mlir:6:8: error: @f: relax.grid_sample (%r): expected x to have 1 or more elements along W (C3), found 0; leave the operator out for empty images{{$}}
