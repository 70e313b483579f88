// RUN: not relax-opt %s 2>&1 | filecheck %s

// 4 is not 5.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.match_shape %x [n, 5] : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 5], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: match_shape_C2.mlir:6:8: error: @f: relax.match_shape (%y): expected a pattern that [n, 4] can match (C2), found [n, 5]; correct the sizes{{$}}
