// RUN: not relax-opt %s 2>&1 | filecheck %s

// The result has the size of the argument.

relax.func @g(%x: !relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32> {
  %s = relax.shape [n]
  %y = relax.sum %x {axis = array<i64: 0>} : (!relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @f(%x: !relax.tensor<[4, 4], f32>) -> !relax.object {
  %y = relax.call @g(%x) : (!relax.tensor<[4, 4], f32>) -> !relax.tensor<[5], f32>
  relax.return %x : !relax.tensor<[4, 4], f32>
}

// CHECK: call_result.mlir:11:8: error: @f: relax.call (%y): expected result type !relax.tensor<[4], f32>, as @g returns (F3), found !relax.tensor<[5], f32>; correct the declared type{{$}}
