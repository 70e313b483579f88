// RUN: not relax-opt %s 2>&1 | filecheck %s

// The first match in the text defines m, and what it matches is made of what the other has checked.

relax.func @f(%p: !relax.tensor<[?], f32>) -> !relax.object {
  %o = relax.dataflow {
    %b = relax.match_cast %e : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    %e = relax.unique %a : (!relax.tensor<[m], f32>) -> !relax.tensor<[?], f32>
    %a = relax.match_cast %p : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    relax.output %b : !relax.tensor<[m], f32>
  }
  relax.return %p : !relax.tensor<[?], f32>
}

// CHECK: symbol_defined_from_its_own_check.mlir:7:10: error: @f: relax.dataflow: expected a graph region without cycles (V2), found relax.match_cast (%b) -> relax.unique (%e) -> relax.match_cast (%a) -> relax.match_cast (%b); break the cycle{{$}}
