// RUN: relax-opt %s -p relax-topological-sort | filecheck %s

// Graph regions are written in order of evaluation; ordered ones and other dialects' regions stay.
relax.func @values(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.dataflow {
    %b = relax.exp %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %a = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %b : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
// A symbolic variable is an edge.
relax.func @symbols(%x: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
  %y = relax.dataflow {
    %s = relax.shape [n]
    %b = relax.reshape %a, %s : (!relax.tensor<[n], f32>, !relax.shape<[n]>) -> !relax.tensor<[n], f32>
    %a = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
    relax.output %b : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
// Effects in a binding block do not move.
relax.func @effects(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.binding_block {
    relax.print %x : (!relax.tensor<[n], f32>) -> ()
    %a = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.print %a : (!relax.tensor<[n], f32>) -> ()
    relax.output %a : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK:       relax.func @values(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %y = relax.dataflow {
// CHECK-NEXT:      %a = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %b = relax.exp %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %b : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @symbols(%x: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
// CHECK-NEXT:    %y = relax.dataflow {
// CHECK-NEXT:      %a = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %s = relax.shape [n]
// CHECK-NEXT:      %b = relax.reshape %a, %s : (!relax.tensor<[n], f32>, !relax.shape<[n]>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %b : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @effects(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %y = relax.binding_block {
// CHECK-NEXT:      relax.print %x : (!relax.tensor<[n], f32>) -> ()
// CHECK-NEXT:      %a = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.print %a : (!relax.tensor<[n], f32>) -> ()
// CHECK-NEXT:      relax.output %a : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
