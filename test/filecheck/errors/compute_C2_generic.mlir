// RUN: not relax-opt %s 2>&1 | filecheck %s

// The region of a compute ends in relax.yield, in the generic form too.

relax.func @main(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = "relax.compute"() <{sizes = #relax.dims<[n]>}> ({
  ^bb0(%i: index):
    "test.termop"() : () -> ()
  }) : () -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_C2_generic.mlir:6:8: error: @main: relax.compute (%y): expected a region that yields one scalar (C2), found one that ends in test.termop; yield the value of an element{{$}}
