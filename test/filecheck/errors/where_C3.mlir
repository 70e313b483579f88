// RUN: not relax-opt %s 2>&1 | filecheck %s

// 3 and 4 do not broadcast.

relax.func @f(%x: !relax.tensor<[3], i1>, %y: !relax.tensor<[n, 1], f32>, %z: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.where %x, %y, %z : (!relax.tensor<[3], i1>, !relax.tensor<[n, 1], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: where_C3.mlir:6:8: error: @f: relax.where (%r): expected sizes that broadcast: equal, or one of them 1 (C3), found 3 and 4; reshape or slice one of the operands{{$}}
