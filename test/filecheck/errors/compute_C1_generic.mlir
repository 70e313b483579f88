// RUN: not relax-opt %s 2>&1 | filecheck %s

// The first arguments of the region are indices.

relax.func @main(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = "relax.compute"() <{sizes = #relax.dims<[n]>}> ({
  ^bb0(%i: f32):
    relax.yield %i : f32
  }) : () -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_C1_generic.mlir:6:8: error: @main: relax.compute (%y): expected as many indices as sizes, 1 (C1), found (f32); write one index for each size, as in (%i, %j) in [n, m]{{$}}
