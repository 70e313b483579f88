// RUN: not relax-opt %s 2>&1 | filecheck %s

// An argument of the region takes its operand.

relax.func @main(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = "relax.compute"(%a) <{sizes = #relax.dims<[n]>}> ({
  ^bb0(%i: index, %x: !relax.tensor<[4], f32>):
    %v = arith.constant 1.0 : f32
    relax.yield %v : f32
  }) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_C3_type.mlir:6:8: error: @main: relax.compute (%y): expected an argument that takes !relax.tensor<[n], f32> (C3), found !relax.tensor<[4], f32>; change the two together{{$}}
