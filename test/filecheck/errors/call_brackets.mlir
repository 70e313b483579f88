// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function takes no sizes in brackets.

relax.func @g(%x: !relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32> {
  %s = relax.shape [n]
  %y = relax.sum %x {axis = array<i64: 0>} : (!relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @f(%x: !relax.tensor<[4, 4], f32>, %s: !relax.shape<[n]>) -> !relax.object {
  %y = relax.call @g(%x)[n] : (!relax.tensor<[4, 4], f32>) -> !relax.object
  relax.return %x : !relax.tensor<[4, 4], f32>
}

// CHECK: call_brackets.mlir:11:25: error: relax.call: expected no sizes in brackets, found some; the function reads its sizes from the arguments{{$}}
