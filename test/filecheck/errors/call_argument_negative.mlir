// RUN: not relax-opt %s 2>&1 | filecheck %s

// With m = 4 no n has m + n = 3.

relax.func @f(%x: !relax.tensor<[m], f32>, %y: !relax.tensor<[m + n], f32>) -> !relax.shape<[n]> {
  %s = relax.shape [n]
  relax.return %s : !relax.shape<[n]>
}

relax.func @main(%x: !relax.tensor<[4], f32>, %y: !relax.tensor<[3], f32>) -> !relax.object {
  %z = relax.call @f(%x, %y) : (!relax.tensor<[4], f32>, !relax.tensor<[3], f32>) -> !relax.object
  relax.return %z : !relax.object
}

// CHECK: call_argument_negative.mlir:11:8: error: @main: relax.call @f: expected arguments of sizes [m, m + n] (F2), found [4, 3]: dimension 1: expected 'm + n' for an integer n of at least 0, found '3'; pass arguments whose sizes agree{{$}}
