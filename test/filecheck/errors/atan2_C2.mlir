// RUN: not relax-opt %s 2>&1 | filecheck %s

// 3 and 4 do not broadcast.

relax.func @f(%x: !relax.tensor<[n, 3], f32>, %y: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.atan2 %x, %y : (!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: atan2_C2.mlir:6:8: error: @f: relax.atan2 (%r): expected sizes that broadcast: equal, or one of them 1 (C2), found 3 and 4; reshape or slice one of the operands{{$}}
