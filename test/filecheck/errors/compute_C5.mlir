// RUN: not relax-opt %s 2>&1 | filecheck %s

// An element is no index.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    relax.yield %i : index
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_C5.mlir:6:8: error: @main: relax.compute (%y): expected elements that are floats or signless integers (C5), found index; cast them, as with arith.index_cast{{$}}
