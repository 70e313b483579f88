// RUN: not relax-opt %s 2>&1 | filecheck %s

// A declared element type does not appear from nowhere.

relax.func @f(%x: !relax.tensor<[4]>) -> !relax.object {
  %y = relax.exp %x : (!relax.tensor<[4]>) -> !relax.tensor<[4], f32>
  relax.return %y : !relax.tensor<[4], f32>
}

// CHECK: narrowing_dtype.mlir:6:8: error: @f: relax.exp (%y): expected result type at least as wide as the inferred !relax.tensor<[4]> (T1), found !relax.tensor<[4], f32>; declare the inferred type and narrow it with a relax.match_cast{{$}}
