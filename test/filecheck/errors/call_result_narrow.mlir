// RUN: not relax-opt %s 2>&1 | filecheck %s

// The size of the result is not known here.

relax.func @g(%x: !relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32> {
  %s = relax.shape [n]
  %y = relax.sum %x {axis = array<i64: 0>} : (!relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @f(%x: !relax.tensor<[?, ?], f32>) -> !relax.object {
  %y = relax.call @g(%x) : (!relax.tensor<[?, ?], f32>) -> !relax.tensor<[5], f32>
  relax.return %x : !relax.tensor<[?, ?], f32>
}

// CHECK: call_result_narrow.mlir:11:8: error: @f: relax.call (%y): expected result type !relax.tensor<[?], f32>, as @g returns (F3), found !relax.tensor<[5], f32>; declare the inferred type and narrow it with a relax.match_cast{{$}}
