// RUN: relax-opt %s -p relax-apply-pdl | filecheck %s

// What a pattern names for its rewrite alone: a type, and a result of its root.
pdl.pattern @absolute : benefit(1) {
  %p = pdl.operand
  %t = pdl.type
  %wanted = pdl.type : !relax.tensor<[n], f32>
  %root = pdl.operation "relax.relu" (%p : !pdl.value) -> (%t : !pdl.type)
  %r = pdl.result 0 of %root
  pdl.rewrite %root {
    %new = pdl.operation "relax.abs" (%p : !pdl.value) -> (%wanted : !pdl.type)
    %unused = pdl.operation "relax.negative" (%r : !pdl.value) -> (%t : !pdl.type)
    pdl.replace %root with %new
  }
}

// CHECK-LABEL: relax.func @f
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  // CHECK: relax.abs %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  // CHECK-NOT: relax.relu
  %a = relax.relu %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %a : !relax.tensor<[n], f32>
}
