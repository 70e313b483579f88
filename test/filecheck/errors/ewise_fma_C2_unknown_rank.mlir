// RUN: not relax-opt %s 2>&1 | filecheck %s

// 3 and 4 do not broadcast, whatever the rank of x is.

relax.func @f(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[3], f32>, %z: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.ewise_fma %x, %y, %z : (!relax.tensor<*, f32>, !relax.tensor<[3], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: ewise_fma_C2_unknown_rank.mlir:6:8: error: @f: relax.ewise_fma (%r): expected sizes that broadcast: equal, or one of them 1 (C2), found 3 and 4; reshape or slice one of the operands{{$}}
