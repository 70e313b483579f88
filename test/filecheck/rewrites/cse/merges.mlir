// RUN: relax-opt %s -p relax-cse --allow-unregistered-dialect | filecheck %s

relax.func @equal(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.dataflow {
    %c = relax.add %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %b = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %c : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
// Effects, other blocks, other properties, another check: nothing is merged.
relax.func @different(%x: !relax.tensor<[n], f32>, %u: !relax.tensor<[?], f32>) -> !relax.object {
  %y, %z = relax.binding_block {
    %a = relax.call_packed "next"(%x) : (!relax.tensor<[n], f32>) -> !relax.object
    %b = relax.call_packed "next"(%x) : (!relax.tensor<[n], f32>) -> !relax.object
    %m = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>
    %o = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
    %e = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %s = relax.sum %x {axis = array<i64: 0>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[], f32>
    %t = relax.sum %x {axis = array<i64: 0>, keepdims = true} : (!relax.tensor<[n], f32>) -> !relax.tensor<[1], f32>
    %r = relax.tuple %a, %b, %e, %s, %t : (!relax.object, !relax.object, !relax.tensor<[n], f32>, !relax.tensor<[], f32>, !relax.tensor<[1], f32>) -> tuple<!relax.object, !relax.object, !relax.tensor<[n], f32>, !relax.tensor<[], f32>, !relax.tensor<[1], f32>>
    relax.output %r, %e : tuple<!relax.object, !relax.object, !relax.tensor<[n], f32>, !relax.tensor<[], f32>, !relax.tensor<[1], f32>>, !relax.tensor<[n], f32>
  }
  %w = relax.dataflow {
    %e = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %e : !relax.tensor<[n], f32>
  }
  %q = relax.tuple %y, %z, %w : (tuple<!relax.object, !relax.object, !relax.tensor<[n], f32>, !relax.tensor<[], f32>, !relax.tensor<[1], f32>>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<tuple<!relax.object, !relax.object, !relax.tensor<[n], f32>, !relax.tensor<[], f32>, !relax.tensor<[1], f32>>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %q : tuple<tuple<!relax.object, !relax.object, !relax.tensor<[n], f32>, !relax.tensor<[], f32>, !relax.tensor<[1], f32>>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}
// The same check of the same value, and ops of another dialect.
relax.func @same_check(%u: !relax.tensor<[?], f32>, %v: f32) -> !relax.tensor<[?], f32> {
  %a = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
  %b = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
  %p = arith.addf %v, %v : f32
  %q = arith.addf %v, %v : f32
  %s = "test.op"(%p) : (f32) -> f32
  %t = "test.op"(%q) : (f32) -> f32
  %c = relax.add %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %c : !relax.tensor<[n], f32>
}

// CHECK:       relax.func @equal(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %y = relax.dataflow {
// CHECK-NEXT:      %c = relax.add %a, %a : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %c : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @different(%x: !relax.tensor<[n], f32>, %u: !relax.tensor<[?], f32>) -> !relax.object {
// CHECK-NEXT:    %y, %z = relax.binding_block {
// CHECK-NEXT:      %a = relax.call_packed "next"(%x) : (!relax.tensor<[n], f32>) -> !relax.object
// CHECK-NEXT:      %b = relax.call_packed "next"(%x) : (!relax.tensor<[n], f32>) -> !relax.object
// CHECK-NEXT:      %m = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>
// CHECK-NEXT:      %o = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %e = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %s = relax.sum %x {axis = array<i64: 0>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[], f32>
// CHECK-NEXT:      %t = relax.sum %x {axis = array<i64: 0>, keepdims = true} : (!relax.tensor<[n], f32>) -> !relax.tensor<[1], f32>
// CHECK-NEXT:      %r = relax.tuple %a, %b, %e, %s, %t : (!relax.object, !relax.object, !relax.tensor<[n], f32>, !relax.tensor<[], f32>, !relax.tensor<[1], f32>) -> tuple<!relax.object, !relax.object, !relax.tensor<[n], f32>, !relax.tensor<[], f32>, !relax.tensor<[1], f32>>
// CHECK-NEXT:      relax.output %r, %e : tuple<!relax.object, !relax.object, !relax.tensor<[n], f32>, !relax.tensor<[], f32>, !relax.tensor<[1], f32>>, !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %w = relax.dataflow {
// CHECK-NEXT:      %e_1 = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %e_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %q = relax.tuple %y, %z, %w : (tuple<!relax.object, !relax.object, !relax.tensor<[n], f32>, !relax.tensor<[], f32>, !relax.tensor<[1], f32>>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<tuple<!relax.object, !relax.object, !relax.tensor<[n], f32>, !relax.tensor<[], f32>, !relax.tensor<[1], f32>>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:    relax.return %q : tuple<tuple<!relax.object, !relax.object, !relax.tensor<[n], f32>, !relax.tensor<[], f32>, !relax.tensor<[1], f32>>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @same_check(%u: !relax.tensor<[?], f32>, %v: f32) -> !relax.tensor<[?], f32> {
// CHECK-NEXT:    %a = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:    %p = arith.addf %v, %v : f32
// CHECK-NEXT:    %s = "test.op"(%p) : (f32) -> f32
// CHECK-NEXT:    %t = "test.op"(%p) : (f32) -> f32
// CHECK-NEXT:    %c = relax.add %a, %a : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    relax.return %c : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
