// RUN: not relax-opt %s 2>&1 | filecheck %s

// An expression of a pattern names its variables even where the declared type leaves it out.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.match_shape %x [n, m * 2] : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, ?], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: symbol_undefined_match_shape.mlir:6:8: error: @f: relax.match_shape (%y): expected symbolic variables that are defined (S1), found 'm'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
