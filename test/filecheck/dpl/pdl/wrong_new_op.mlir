// RUN: not relax-opt %s -p relax-apply-pdl 2>&1 | filecheck %s

// CHECK: error: relax-apply-pdl: @rule: relax.exp: 

pdl.pattern @rule : benefit(1) {
  %x = pdl.operand
  %t = pdl.type
  %root = pdl.operation "relax.exp" (%x : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %root {
    %u = pdl.type : !relax.tensor<[2], f32>
    %new = pdl.operation "relax.exp" (%x : !pdl.value) -> (%u : !pdl.type)
    pdl.replace %root with %new
  }
}

relax.func @f(%x: !relax.tensor<[3], f32>) -> !relax.tensor<[3], f32> {
  %a = relax.exp %x : (!relax.tensor<[3], f32>) -> !relax.tensor<[3], f32>
  relax.return %a : !relax.tensor<[3], f32>
}
