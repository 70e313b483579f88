// RUN: relax-opt %s -p relax-to-basic-block-normal-form | filecheck %s

// Graphs of a branch that define one variable each keep their order: the if stays in a binding block.

relax.func @graphs_of_a_branch(%x: !relax.object, %y: !relax.object, %c: !relax.tensor<[], i1>) -> !relax.object {
  %r = relax.binding_block {
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.object {
      %a = relax.graph {
        %p = relax.match_cast %x : !relax.object -> !relax.tensor<[m], f32>
        relax.output %p : !relax.tensor<[m], f32>
      }
      %s = relax.graph {
        %b = relax.match_cast %y : !relax.object -> !relax.tensor<[m], f32>
        %t = relax.add %a, %b : (!relax.tensor<[m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
        relax.output %t : !relax.tensor<[m], f32>
      }
      relax.yield %s : !relax.tensor<[m], f32>
    } else {
      relax.yield %y : !relax.object
    }
    relax.output %r : !relax.object
  }
  relax.return %r : !relax.object
}
// CHECK-LABEL: relax.func @graphs_of_a_branch(
// CHECK-NEXT:    %r = relax.binding_block {
// CHECK-NEXT:      %r_1 = relax.if %c
// CHECK-NEXT:        %p = relax.graph {
// CHECK-NEXT:          %p_1 = relax.match_cast %x
// CHECK-NEXT:          relax.output %p_1
// CHECK-NEXT:        }
// CHECK-NEXT:        %t = relax.graph {
// CHECK-NEXT:          %b = relax.match_cast %y
// CHECK-NEXT:          %t_1 = relax.add %p, %b
// CHECK-NEXT:          relax.output %t_1
// CHECK-NEXT:        }
// CHECK-NEXT:        relax.yield %t

// Within one graph the definition further out is the one: the if may stay in it.

relax.func @one_graph(%x: !relax.object, %y: !relax.object, %c: !relax.tensor<[], i1>) -> !relax.object {
  %r = relax.graph {
    %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.object {
      %p = relax.match_cast %x : !relax.object -> !relax.tensor<[m], f32>
      relax.yield %p : !relax.tensor<[m], f32>
    } else {
      relax.yield %y : !relax.object
    }
    %b = relax.match_cast %y : !relax.object -> !relax.tensor<[m], f32>
    %t = relax.tuple %i, %b : (!relax.object, !relax.tensor<[m], f32>) -> tuple<!relax.object, !relax.tensor<[m], f32>>
    relax.output %t : tuple<!relax.object, !relax.tensor<[m], f32>>
  }
  relax.return %r : tuple<!relax.object, !relax.tensor<[m], f32>>
}
// CHECK-LABEL: relax.func @one_graph(
// CHECK-NEXT:    %t = relax.graph {
// CHECK-NEXT:      %b = relax.match_cast %y
// CHECK-NEXT:      %i = relax.if %c
// CHECK-NEXT:        %p = relax.match_cast %x
// CHECK-NEXT:        relax.yield %p
// CHECK-NEXT:      } else {
// CHECK-NEXT:        relax.yield %y
// CHECK-NEXT:      }
// CHECK-NEXT:      %t_1 = relax.tuple %i, %b
// CHECK-NEXT:      relax.output %t_1
