// RUN: not relax-opt %s 2>&1 | filecheck %s

// A comparison's operands broadcast.

relax.func @f(%x: !relax.tensor<[3], f32>, %y: !relax.tensor<[4], f32>) -> !relax.object {
  %c = relax.less %x, %y : (!relax.tensor<[3], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], i1>
  relax.return %c : !relax.tensor<[4], i1>
}

// CHECK: comparison_C1.mlir:6:8: error: @f: relax.less (%c): expected sizes that broadcast: equal, or one of them 1 (C1), found 3 and 4; reshape or slice one of the operands{{$}}
