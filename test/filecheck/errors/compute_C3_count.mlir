// RUN: not relax-opt %s 2>&1 | filecheck %s

// The region has an argument for each operand.

relax.func @main(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = "relax.compute"(%a) <{sizes = #relax.dims<[n]>}> ({
  ^bb0(%i: index):
    %v = arith.constant 1.0 : f32
    relax.yield %v : f32
  }) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_C3_count.mlir:6:8: error: @main: relax.compute (%y): expected 1 arguments after the indices (C3), found (); write one for each operand{{$}}
