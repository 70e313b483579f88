// RUN: not relax-opt %s 2>&1 | filecheck %s

// A graph has no cycles, through the values that branches use neither.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.graph {
    %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      relax.yield %y : !relax.tensor<[], f32>
    } else {
      relax.yield %x : !relax.tensor<[], f32>
    }
    %y = relax.exp %i : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %y : !relax.tensor<[], f32>
  }
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: graph_cycle_through_branch.mlir:7:10: error: @f: relax.graph: expected a graph region without cycles (V2), found relax.if (%i) -> relax.exp (%y) -> relax.if (%i); break the cycle{{$}}
