// RUN: not relax-opt %s 2>&1 | filecheck %s

// No order tells which of the two defines m.

relax.func @f(%p: !relax.object, %q: !relax.object) -> !relax.object {
  %o, %o2 = relax.dataflow {
    %a = relax.match_cast %p : !relax.object -> !relax.tensor<[m], f32>
    %b = relax.match_cast %q : !relax.object -> !relax.tensor<[m], f32>
    relax.output %a, %b : !relax.tensor<[m], f32>, !relax.tensor<[m], f32>
  }
  relax.return %p : !relax.object
}

// CHECK: symbol_defined_twice.mlir:8:10: error: @f: relax.match_cast (%b): expected 'm' to be defined once in a graph region, found a first definition by relax.match_cast (%a) and no order between the two; give one of them another name, or move it to a relax.binding_block{{$}}
