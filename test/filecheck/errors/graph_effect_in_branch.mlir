// RUN: not relax-opt %s 2>&1 | filecheck %s

// The branches of an if in a graph have no order, so they have no effects.

relax.func @f(%c: !relax.tensor<[], i1>) -> !relax.object {
  %r = relax.graph {
    %g = relax.if %c : (!relax.tensor<[], i1>) -> !relax.object {
      %p = relax.call_packed "tick"() : () -> !relax.object
      relax.yield %p : !relax.object
    } else {
      %q = relax.call_packed "tock"() : () -> !relax.object
      relax.yield %q : !relax.object
    }
    relax.output %g : !relax.object
  }
  relax.return %r : !relax.object
}

// CHECK: graph_effect_in_branch.mlir:7:10: error: @f: relax.if (%g): expected ops without effects in relax.graph (E1), found one that has or may have an effect; move it to a relax.binding_block{{$}}
