// RUN: relax-opt %s -p relax-apply-pdl | relax-opt | filecheck %s

// A value of a narrower type takes the place of a wider one by a relax.let.

pdl.pattern @twice : benefit(1) {
  %x = pdl.operand
  %t = pdl.type
  %inner = pdl.operation "relax.negative" (%x : !pdl.value) -> (%t : !pdl.type)
  %y = pdl.result 0 of %inner
  %u = pdl.type
  %root = pdl.operation "relax.negative" (%y : !pdl.value) -> (%u : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

// CHECK-LABEL: relax.func @f
// CHECK-NEXT: %b = relax.let %x{{.*}} : (!relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT: relax.return %b
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
  %a = relax.negative %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %b = relax.negative %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
  relax.return %b : !relax.tensor<[?], f32>
}
