// RUN: not relax-opt %s 2>&1 | filecheck %s

// n cannot be 3 and 4.

relax.func @g(%x: !relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32> {
  %s = relax.shape [n]
  %y = relax.sum %x {axis = array<i64: 0>} : (!relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @f(%x: !relax.tensor<[3, 4], f32>) -> !relax.object {
  %y = relax.call @g(%x) : (!relax.tensor<[3, 4], f32>) -> !relax.object
  relax.return %x : !relax.tensor<[3, 4], f32>
}

// CHECK: call_argument_sizes.mlir:11:8: error: @f: relax.call @g: expected arguments of sizes [n, n] (F2), found [3, 4]: dimension 1: expected 'n' = '3', found '4'; pass arguments whose sizes agree{{$}}
