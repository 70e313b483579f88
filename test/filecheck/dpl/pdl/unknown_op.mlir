// RUN: not relax-opt %s -p relax-apply-pdl 2>&1 | filecheck %s

// CHECK: error: relax-apply-pdl: @rule: expected the name of an op, found an unknown one, 'relax.tahn'; the nearest is 'relax.tan'

pdl.pattern @rule : benefit(1) {
  %x = pdl.operand
  %t = pdl.type
  %root = pdl.operation "relax.exp" (%x : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %root {
    %new = pdl.operation "relax.tahn" (%x : !pdl.value) -> (%t : !pdl.type)
    pdl.replace %root with %new
  }
}

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %a : !relax.tensor<[n], f32>
}
