// RUN: not relax-opt %s -p relax-apply-pdl 2>&1 | filecheck %s

// CHECK: error: relax-apply-pdl: @rule: expected a value of type !relax.tensor<[n], f32> for relax.exp (%a), found !relax.tensor<[], f32>; ask for that type in the pattern, or pass one of the root's type

pdl.pattern @rule : benefit(1) {
  %x = pdl.operand
  %t = pdl.type
  %root = pdl.operation "relax.exp" (%x : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %root {
    %u = pdl.type : !relax.tensor<[], f32>
    %new = pdl.operation "relax.sum" (%x : !pdl.value) -> (%u : !pdl.type)
    pdl.replace %root with %new
  }
}

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %a : !relax.tensor<[n], f32>
}
