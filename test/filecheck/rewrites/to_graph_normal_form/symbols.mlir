// RUN: relax-opt %s -p relax-to-graph-normal-form | filecheck %s

// Symbolic variables that only an order tells apart.

// Two definitions of m, told apart by their order: two graphs.
relax.func @rivals(%x: !relax.object, %y: !relax.object) -> !relax.object {
  %a = relax.match_cast %x : !relax.object -> !relax.tensor<[m], f32>
  %b = relax.match_cast %y : !relax.object -> !relax.tensor<[m], f32>
  %s = relax.add %a, %b : (!relax.tensor<[m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  relax.return %s : !relax.tensor<[m], f32>
}
// CHECK-LABEL: relax.func @rivals(
// CHECK-NEXT:   %a = relax.graph {
// CHECK-NEXT:     %a_1 = relax.match_cast %x
// CHECK-NEXT:     relax.output %a_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = relax.graph {
// CHECK-NEXT:     %b = relax.match_cast %y
// CHECK-NEXT:     %s_1 = relax.add %a, %b
// CHECK-NEXT:     relax.output %s_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %s
// CHECK-NEXT: }

// Inside of a branch they need its order: the if stays in a binding block.
relax.func @rivals_in_branch(%x: !relax.object, %y: !relax.object, %c: !relax.tensor<[], i1>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.object {
    %a = relax.match_cast %x : !relax.object -> !relax.tensor<[m], f32>
    %b = relax.match_cast %y : !relax.object -> !relax.tensor<[m], f32>
    %s = relax.add %a, %b : (!relax.tensor<[m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
    relax.yield %s : !relax.tensor<[m], f32>
  } else {
    relax.yield %y : !relax.object
  }
  relax.return %r : !relax.object
}
// CHECK-LABEL: relax.func @rivals_in_branch(
// CHECK-NEXT:   %r = relax.binding_block {
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       %a = relax.graph {
// CHECK-NEXT:         %a_1 = relax.match_cast %x
// CHECK-NEXT:         relax.output %a_1
// CHECK-NEXT:       }
// CHECK-NEXT:       %s = relax.graph {
// CHECK-NEXT:         %b = relax.match_cast %y
// CHECK-NEXT:         %s_1 = relax.add %a, %b
// CHECK-NEXT:         relax.output %s_1
// CHECK-NEXT:       }
// CHECK-NEXT:       relax.yield %s
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %y
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
// CHECK-NEXT: }
