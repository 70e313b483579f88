// RUN: not relax-opt %s 2>&1 | filecheck %s

// A pattern names every size.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.match_shape %x [n, ?] : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, ?], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: match_shape_unknown.mlir:6:8: error: @f: relax.match_shape (%y): expected a pattern of symbolic expressions (C3), found [n, ?]; name every size{{$}}
