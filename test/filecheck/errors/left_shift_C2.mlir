// RUN: not relax-opt %s 2>&1 | filecheck %s

// 3 and 4 do not broadcast.

relax.func @f(%x: !relax.tensor<[n, 3], i32>, %y: !relax.tensor<[n, 4], i32>) -> !relax.object {
  %r = relax.left_shift %x, %y : (!relax.tensor<[n, 3], i32>, !relax.tensor<[n, 4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: left_shift_C2.mlir:6:8: error: @f: relax.left_shift (%r): expected sizes that broadcast: equal, or one of them 1 (C2), found 3 and 4; reshape or slice one of the operands{{$}}
