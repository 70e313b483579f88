// RUN: relax-opt %s -p relax-to-graph-normal-form | filecheck %s

// Pure runs become graphs, effects stay in order.

// Blocks are dissolved; what a branch needs of them is evaluated outside of it.
relax.func @blocks(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %a = relax.dataflow {
    %e = relax.exp %t : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %t = relax.tanh %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %e : !relax.tensor<[], f32>
  }
  %b = relax.binding_block {
    %n = relax.negative %a : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %unused = relax.negative %n : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %n : !relax.tensor<[], f32>
  }
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
    relax.yield %a : !relax.tensor<[], f32>
  } else {
    relax.yield %b : !relax.tensor<[], f32>
  }
  relax.return %r : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @blocks(
// CHECK-NEXT:   %r = relax.graph {
// CHECK-NEXT:     %t = relax.tanh %x
// CHECK-NEXT:     %e = relax.exp %t
// CHECK-NEXT:     %e_1 = relax.let %e
// CHECK-NEXT:     %n = relax.negative %e_1
// CHECK-NEXT:     %n_1 = relax.let %n
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       relax.yield %e_1
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %n_1
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
// CHECK-NEXT: }

// Effects end a graph; a node used in a branch after one does not move over it.
relax.func @effects(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %a = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %u = relax.call_packed "store"(%a) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %b = relax.tanh %a : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %d = relax.negative %u : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
    relax.print %b : (!relax.tensor<[], f32>) -> ()
    %m = relax.multiply %b, %d : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.yield %m : !relax.tensor<[], f32>
  } else {
    relax.yield %x : !relax.tensor<[], f32>
  }
  %s = relax.add %r, %b : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %s : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @effects(
// CHECK-NEXT:   %a = relax.graph {
// CHECK-NEXT:     %a_1 = relax.exp %x
// CHECK-NEXT:     relax.output %a_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %u = relax.binding_block {
// CHECK-NEXT:     %u_1 = relax.call_packed "store"(%a)
// CHECK-NEXT:     relax.output %u_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %b, %d = relax.graph {
// CHECK-NEXT:     %b_1 = relax.tanh %a
// CHECK-NEXT:     %d_1 = relax.negative %u
// CHECK-NEXT:     relax.output %b_1, %d_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = relax.binding_block {
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       relax.binding_block {
// CHECK-NEXT:         relax.print %b
// CHECK-NEXT:         relax.output
// CHECK-NEXT:       }
// CHECK-NEXT:       %m = relax.graph {
// CHECK-NEXT:         %m_1 = relax.multiply %b, %d
// CHECK-NEXT:         relax.output %m_1
// CHECK-NEXT:       }
// CHECK-NEXT:       relax.yield %m
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %x
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = relax.graph {
// CHECK-NEXT:     %s_1 = relax.add %r, %b
// CHECK-NEXT:     relax.output %s_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %s
// CHECK-NEXT: }

// The document's load and store, whose order bindings give: the sum stays after the store.
relax.func @load_store(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %one = relax.call_packed "load"(%x) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %two = relax.constant dense<2.0> : tensor<f32>
  %sum = relax.add %one, %two : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %u = relax.call_packed "store"(%x, %sum) : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %three = relax.add %one, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %three : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @load_store(
// CHECK-NEXT:   %one = relax.binding_block {
// CHECK-NEXT:     %one_1 = relax.call_packed "load"(%x)
// CHECK-NEXT:     relax.output %one_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %sum = relax.graph {
// CHECK-NEXT:     %two = relax.constant dense<2.000000e+00>
// CHECK-NEXT:     %sum_1 = relax.add %one, %two
// CHECK-NEXT:     relax.output %sum_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.binding_block {
// CHECK-NEXT:     %u = relax.call_packed "store"(%x, %sum)
// CHECK-NEXT:     relax.output
// CHECK-NEXT:   }
// CHECK-NEXT:   %three = relax.graph {
// CHECK-NEXT:     %three_1 = relax.add %one, %one
// CHECK-NEXT:     relax.output %three_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %three
// CHECK-NEXT: }
