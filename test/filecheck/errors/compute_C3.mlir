// RUN: not relax-opt %s 2>&1 | filecheck %s

// Operands of a compute have a known rank.

relax.func @main(%a: !relax.tensor<*, f32>, %n: !relax.shape<[n]>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<*, f32>) -> !relax.tensor<[n], f32> {
    %v = arith.constant 1.0 : f32
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_C3.mlir:6:8: error: @main: relax.compute (%y): expected operands that are tensors of known rank and element type, or numbers (C3), found !relax.tensor<*, f32>; insert a relax.match_cast to such a type{{$}}
