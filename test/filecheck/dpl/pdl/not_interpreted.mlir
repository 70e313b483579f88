// RUN: not relax-opt %s -p relax-apply-pdl 2>&1 | filecheck %s

// CHECK: error: relax-apply-pdl: @rule: expected ops of PDL that xDSL interprets ({{.*}}), found pdl.operands; name every operand, result and attribute

pdl.pattern @rule : benefit(1) {
  %x = pdl.operands
  %t = pdl.type
  %root = pdl.operation "relax.exp" (%x : !pdl.range<value>) -> (%t : !pdl.type)
  pdl.rewrite %root {
    %new = pdl.operation "relax.tanh" (%x : !pdl.range<value>) -> (%t : !pdl.type)
    pdl.replace %root with %new
  }
}

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %a : !relax.tensor<[n], f32>
}
