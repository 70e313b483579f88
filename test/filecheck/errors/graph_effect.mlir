// RUN: not relax-opt %s 2>&1 | filecheck %s

// A graph holds no effects: the ill-formed example of a store between two loads.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.graph {
    %a = relax.call_pure_packed "load"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %b = relax.add %a, %a : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %c = relax.call_packed "store"(%x, %b) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.object
    %d = relax.add %a, %a : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %d : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: graph_effect.mlir:9:10: error: @f: relax.call_packed (%c): expected ops without effects in relax.graph (E1), found one that has or may have an effect; move it to a relax.binding_block{{$}}
