// RUN: relax-opt %s -p relax-apply-pdl | filecheck %s

// Without a file the patterns of the module are applied, the greatest benefit first.

pdl.pattern @second : benefit(1) {
  %x = pdl.operand
  %t = pdl.type
  %root = pdl.operation "relax.exp" (%x : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %root {
    %new = pdl.operation "relax.tanh" (%x : !pdl.value) -> (%t : !pdl.type)
    pdl.replace %root with %new
  }
}

pdl.pattern @first : benefit(2) {
  %x = pdl.operand
  %t = pdl.type
  %root = pdl.operation "relax.exp" (%x : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %root {
    %new = pdl.operation "relax.sigmoid" (%x : !pdl.value) -> (%t : !pdl.type)
    pdl.replace %root with %new
  }
}

// CHECK-LABEL: relax.func @f
// CHECK-NEXT: %a = relax.sigmoid %x{{.*}} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT: relax.return %a
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %a : !relax.tensor<[n], f32>
}
