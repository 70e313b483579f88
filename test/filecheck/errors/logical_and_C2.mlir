// RUN: not relax-opt %s 2>&1 | filecheck %s

// 3 and 4 do not broadcast.

relax.func @f(%x: !relax.tensor<[n, 3], i1>, %y: !relax.tensor<[n, 4], i1>) -> !relax.object {
  %r = relax.logical_and %x, %y : (!relax.tensor<[n, 3], i1>, !relax.tensor<[n, 4], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: logical_and_C2.mlir:6:8: error: @f: relax.logical_and (%r): expected sizes that broadcast: equal, or one of them 1 (C2), found 3 and 4; reshape or slice one of the operands{{$}}
