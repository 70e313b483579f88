// RUN: not relax-opt %s 2>&1 | filecheck %s

// The body of a closure in a graph has no order, so it has no effects.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.graph {
    %g = relax.closure () -> !relax.object impure {
      %p = relax.call_packed "tick"() : () -> !relax.object
      relax.return %p : !relax.object
    }
    relax.output %g : !relax.func<() -> !relax.object, impure>
  }
  relax.return %r : !relax.func<() -> !relax.object, impure>
}

// CHECK: graph_effect_in_closure.mlir:8:12: error: @f: relax.call_packed (%p): expected ops without effects in relax.closure, which stands in a graph, found one that has or may have an effect; move relax.closure to a relax.binding_block{{$}}
