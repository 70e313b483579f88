// RUN: not relax-opt %s 2>&1 | filecheck %s

// The tensor has two sizes.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.match_shape %x [m] : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[m], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: match_shape_C1.mlir:6:8: error: @f: relax.match_shape (%y): expected a pattern that [n, 4] can match (C1), found [m]; write one entry for each size{{$}}
