// RUN: relax-opt %s | relax-opt | filecheck %s

// The rules that apply_file.mlir applies.

// CHECK: pdl.pattern @double_negative : benefit(2) {
pdl.pattern @double_negative : benefit(2) {
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

// CHECK: pdl.pattern @last_axis : benefit(1) {
pdl.pattern @last_axis : benefit(1) {
  %x = pdl.operand
  %axis = pdl.attribute = 1 : i64
  // CHECK: pdl.type : !relax.tensor<[n, 2 * (m floordiv 2)], f32>
  %t = pdl.type : !relax.tensor<[n, 2 * (m floordiv 2)], f32>
  %root = pdl.operation "relax.softmax" (%x : !pdl.value) {"axis" = %axis} -> (%t : !pdl.type)
  pdl.rewrite %root {
    %last = pdl.attribute = -1 : i64
    %new = pdl.operation "relax.softmax" (%x : !pdl.value) {"axis" = %last} -> (%t : !pdl.type)
    pdl.replace %root with %new
  }
}
