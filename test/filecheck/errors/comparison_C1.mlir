// RUN: not relax-opt %s 2>&1 | filecheck %s

// A comparison's operands have one element type.

relax.func @f(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[], i1>) -> !relax.object {
  %c = relax.less %x, %y : (!relax.tensor<[], f32>, !relax.tensor<[], i1>) -> !relax.tensor<[], i1>
  relax.return %c : !relax.tensor<[], i1>
}

// CHECK: comparison_C1.mlir:6:8: error: @f: relax.less (%c): expected operands of one element type (C1), found f32 and i1; convert one of them with relax.astype{{$}}
