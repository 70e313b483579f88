// RUN: not relax-opt %s 2>&1 | filecheck %s

// A graph holds no effects, nor do the branches in it.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.graph {
    %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      relax.print %x : (!relax.tensor<[], f32>) -> ()
      relax.yield %x : !relax.tensor<[], f32>
    } else {
      relax.yield %x : !relax.tensor<[], f32>
    }
    relax.output %i : !relax.tensor<[], f32>
  }
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK: graph_effect_in_branch.mlir:7:10: error: @f: relax.if (%i): expected ops without effects in relax.graph, found one that has or may have an effect; move it to a relax.binding_block{{$}}
