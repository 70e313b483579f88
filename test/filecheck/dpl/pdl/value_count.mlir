// RUN: not relax-opt %s -p relax-apply-pdl 2>&1 | filecheck %s

// CHECK: error: relax-apply-pdl: @rule: expected 1 values for relax.exp (%a), found 2; pass one for each result

pdl.pattern @rule : benefit(1) {
  %x = pdl.operand
  %t = pdl.type
  %root = pdl.operation "relax.exp" (%x : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x, %x : !pdl.value, !pdl.value)
  }
}

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %a : !relax.tensor<[n], f32>
}
