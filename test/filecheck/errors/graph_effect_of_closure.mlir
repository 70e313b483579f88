// RUN: not relax-opt %s 2>&1 | filecheck %s

// A graph does not call a closure that has effects.

relax.func @f(%g: !relax.func<() -> !relax.object, impure>) -> !relax.object {
  %r = relax.graph {
    %o = relax.call_closure %g : (!relax.func<() -> !relax.object, impure>) -> !relax.object
    relax.output %o : !relax.object
  }
  relax.return %r : !relax.object
}

// CHECK: graph_effect_of_closure.mlir:7:10: error: @f: relax.call_closure (%o): expected ops without effects in relax.graph (E1), found one that has or may have an effect; move it to a relax.binding_block{{$}}
