// RUN: not relax-opt %s 2>&1 | filecheck %s

// The declared type does not contradict the inferred one.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.exp %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 5], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: contradicting_result.mlir:6:8: error: @f: relax.exp (%y): expected result type !relax.tensor<[n, 4], f32> as inferred (T1), found !relax.tensor<[n, 5], f32>; correct the declared type{{$}}
