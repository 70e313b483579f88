// RUN: not relax-opt %s 2>&1 | filecheck %s

// 3 and 4 do not broadcast.

relax.func @f(%x: !relax.tensor<[3], f32>, %y: !relax.tensor<[4], i1>) -> !relax.object {
  %r = relax.masked_fill %x, %y {value = 0 : i64} : (!relax.tensor<[3], f32>, !relax.tensor<[4], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: masked_fill_C2.mlir:6:8: error: @f: relax.masked_fill (%r): expected sizes that broadcast: equal, or one of them 1 (C2), found 3 and 4; reshape or slice one of the operands{{$}}
