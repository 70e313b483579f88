// RUN: not relax-opt %s 2>&1 | filecheck %s

// No n has 2 * n = 7.

relax.func @f(%x: !relax.tensor<[2 * n], f32>) -> !relax.shape<[n]> {
  %s = relax.shape [n]
  relax.return %s : !relax.shape<[n]>
}

relax.func @main(%x: !relax.tensor<[7], f32>) -> !relax.object {
  %y = relax.call @f(%x) : (!relax.tensor<[7], f32>) -> !relax.object
  relax.return %y : !relax.object
}

// CHECK: call_argument_not_divisible.mlir:11:8: error: @main: relax.call @f: expected arguments of sizes [2 * n] (F2), found [7]: dimension 0: expected '2 * n' for an integer n of at least 0, found '7'; pass arguments whose sizes agree{{$}}
