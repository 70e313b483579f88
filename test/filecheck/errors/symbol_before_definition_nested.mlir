// RUN: not relax-opt %s 2>&1 | filecheck %s

// A graph region around it does not free an ordered region of its order.

relax.func @f(%p: !relax.object) -> !relax.object {
  %o = relax.dataflow {
    %b = relax.binding_block {
      %s = relax.shape [m]
      %y = relax.match_cast %p : !relax.object -> !relax.tensor<[m], f32>
      relax.output %s : !relax.shape<[m]>
    }
    relax.output %b : !relax.shape<[m]>
  }
  relax.return %p : !relax.object
}

// CHECK: symbol_before_definition_nested.mlir:8:12: error: @f: relax.shape (%s): expected symbolic variables that are defined (S1), found 'm'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
