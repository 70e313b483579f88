// RUN: not relax-opt %s 2>&1 | filecheck %s

// A matrix is no vector.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.outer %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: outer_C2.mlir:6:8: error: @f: relax.outer (%r): expected 'x1' of rank 1 (C2), found rank 2; flatten it with relax.flatten{{$}}
