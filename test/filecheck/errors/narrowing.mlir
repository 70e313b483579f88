// RUN: not relax-opt %s 2>&1 | filecheck %s

// A declared type is not narrower than the inferred one: only a match_cast narrows.

relax.func @f(%x: !relax.tensor<[?, 4], f32>, %s: !relax.shape<[n]>) -> !relax.object {
  %y = relax.exp %x : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %y : !relax.tensor<[n, 4], f32>
}

// CHECK: narrowing.mlir:6:8: error: @f: relax.exp (%y): expected result type at least as wide as the inferred !relax.tensor<[?, 4], f32> (T1), found !relax.tensor<[n, 4], f32>; declare the inferred type and narrow it with a relax.match_cast{{$}}
