// RUN: not relax-opt %s -p relax-apply-pdl 2>&1 | filecheck %s

// CHECK: error: relax-apply-pdl: @{{there|back}}: expected the rules to come to an end within {{[0-9]+}} rewrites, found it still matching; one undoes what another does

pdl.pattern @there : benefit(1) {
  %x = pdl.operand
  %t = pdl.type
  %root = pdl.operation "relax.exp" (%x : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %root {
    %new = pdl.operation "relax.tanh" (%x : !pdl.value) -> (%t : !pdl.type)
    pdl.replace %root with %new
  }
}

pdl.pattern @back : benefit(1) {
  %x = pdl.operand
  %t = pdl.type
  %root = pdl.operation "relax.tanh" (%x : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %root {
    %new = pdl.operation "relax.exp" (%x : !pdl.value) -> (%t : !pdl.type)
    pdl.replace %root with %new
  }
}

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %a : !relax.tensor<[n], f32>
}
