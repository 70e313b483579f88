// RUN: relax-opt %s -p relax-dce --allow-unregistered-dialect | filecheck %s

relax.func private @unused(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.call @helper(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func private @helper(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}
relax.func private @kept(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y, %z = relax.dataflow {
    %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %b = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %a, %b : !relax.tensor<[n], f32>, !relax.tensor<[n], f32>
  }
  %e = relax.dataflow {
    %c = relax.call @helper(%z) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %c : !relax.tensor<[n], f32>
  }
  %r = relax.call @kept(%y) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}
// Effects, checks, and what other dialects do not say to be pure stay.
relax.func @stays(%x: !relax.tensor<[n], f32>, %u: !relax.tensor<[?], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  %y = relax.binding_block {
    %a = relax.call_packed "f"(%x) : (!relax.tensor<[n], f32>) -> !relax.object
    %m = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
    %t = "test.op"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %p = "test.pureop"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %a : !relax.object
  }
  %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
    %m = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
    %d = relax.exp %m : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %u : !relax.tensor<[?], f32>
  } else {
    relax.yield %u : !relax.tensor<[?], f32>
  }
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK:       relax.func private @kept(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    relax.return %x : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %y = relax.dataflow {
// CHECK-NEXT:      %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %a : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %r = relax.call @kept(%y) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    relax.return %r : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @stays(%x: !relax.tensor<[n], f32>, %u: !relax.tensor<[?], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    relax.binding_block {
// CHECK-NEXT:      %a = relax.call_packed "f"(%x) : (!relax.tensor<[n], f32>) -> !relax.object
// CHECK-NEXT:      %m = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %t = "test.op"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output
// CHECK-NEXT:    }
// CHECK-NEXT:    %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
// CHECK-NEXT:      %m_1 = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.yield %u : !relax.tensor<[?], f32>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      relax.yield %u : !relax.tensor<[?], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %x : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
