// RUN: not relax-opt %s 2>&1 | filecheck %s

// One argument too many.

relax.func @g(%x: !relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32> {
  %s = relax.shape [n]
  %y = relax.sum %x {axis = array<i64: 0>} : (!relax.tensor<[n, n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.call @g(%x, %x) : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.object
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: call_argument_count.mlir:11:8: error: @f: relax.call @g: expected as many arguments as parameters, 1 (F2), found 2; pass one for each parameter{{$}}
