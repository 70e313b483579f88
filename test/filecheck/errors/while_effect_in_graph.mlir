// RUN: not relax-opt %s 2>&1 | filecheck %s

// The regions of a loop in a graph are graph regions, without effects.

relax.func @f(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.graph {
    %q = relax.while (%a = %x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
      relax.yield %c : !relax.tensor<[], i1>
    } do {
      relax.print %a : (!relax.tensor<[n], f32>) -> ()
      relax.yield %a : !relax.tensor<[n], f32>
    }
    relax.output %q : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: while_effect_in_graph.mlir:7:10: error: @f: relax.while (%q): expected ops without effects in relax.graph (E1), found one that has or may have an effect; move it to a relax.binding_block{{$}}
