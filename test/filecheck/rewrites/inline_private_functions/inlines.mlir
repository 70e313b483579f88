// RUN: relax-opt %s -p relax-inline-private-functions | filecheck %s

relax.func private @square(%a: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
  %b = relax.dataflow {
    %b = relax.multiply %a, %a : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>
    relax.output %b : !relax.tensor<[k], f32>
  }
  relax.return %b : !relax.tensor<[k], f32>
}
relax.func @proved(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.dataflow {
    %a = relax.call @square(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %a : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @checked(%k: !relax.tensor<[k], f32>, %x: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
  %y = relax.call @square(%x) : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  relax.return %y : !relax.tensor<[?], f32>
}
relax.func private @shout(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.print %a : (!relax.tensor<[n], f32>) -> ()
  relax.return %a : !relax.tensor<[n], f32>
}
relax.func @effects(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.binding_block {
    %a = relax.call @shout(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %b = relax.call @shout(%a) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %b : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
// Recursive and public functions stay.
relax.func private @loop(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %b = relax.call @loop(%a) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %b : !relax.tensor<[n], f32>
}
relax.func @stays(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.call @loop(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %b = relax.call @proved(%a) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %b : !relax.tensor<[n], f32>
}

// CHECK:       relax.func @proved(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %y = relax.dataflow {
// CHECK-NEXT:      %b = relax.multiply %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %b : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @checked(%k: !relax.tensor<[k], f32>, %x: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
// CHECK-NEXT:    %a = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[k_1], f32>
// CHECK-NEXT:    %b = relax.dataflow {
// CHECK-NEXT:      %b_1 = relax.multiply %a, %a : (!relax.tensor<[k_1], f32>, !relax.tensor<[k_1], f32>) -> !relax.tensor<[k_1], f32>
// CHECK-NEXT:      relax.output %b_1 : !relax.tensor<[k_1], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = relax.let %b : (!relax.tensor<[k_1], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:    relax.return %y : !relax.tensor<[?], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @effects(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %y = relax.binding_block {
// CHECK-NEXT:      relax.print %x : (!relax.tensor<[n], f32>) -> ()
// CHECK-NEXT:      relax.print %x : (!relax.tensor<[n], f32>) -> ()
// CHECK-NEXT:      relax.output %x : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func private @loop(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %b = relax.call @loop(%a) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    relax.return %b : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @stays(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %a = relax.call @loop(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    %b = relax.call @proved(%a) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    relax.return %b : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
