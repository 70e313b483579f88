// RUN: relax-opt %s -p 'relax-gradient{func=loss wrt=w},relax-to-a-normal-form' | filecheck %s
// RUN: relax-opt %s -p 'relax-gradient{func=pair wrt=0 target-index=1}' | filecheck %s --check-prefix=PAIR
// RUN: relax-opt %s -p 'relax-gradient{func=pair wrt=x mode=vjp},relax-gradient{func=graph}' | filecheck %s --check-prefix=VJP

// What the targets do not reach is not computed; branches are computed anew on the way back.
relax.func @loss(%x: !relax.tensor<[n], f32>, %w: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %y = relax.dataflow {
    %y = relax.exp %w : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %y : !relax.tensor<[n], f32>
  }
  %z = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    %s = relax.multiply %y, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %s : !relax.tensor<[n], f32>
  } else {
    relax.yield %y : !relax.tensor<[n], f32>
  }
  %sum = relax.sum %z : (!relax.tensor<[n], f32>) -> !relax.tensor<[], f32>
  relax.return %sum : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @loss_adjoint
// CHECK-SAME: -> tuple<!relax.tensor<[], f32>, tuple<!relax.tensor<[n], f32>>> {
// CHECK:      %y = relax.exp %w
// CHECK:      %z = relax.if %c
// CHECK:      %[[ONE:d_sum]] = relax.ones_like
// CHECK:      %[[DZ:d_z]] = relax.broadcast_to
// CHECK:      %[[BOTH:.*]] = relax.if %c : (!relax.tensor<[], i1>) -> tuple<!relax.tensor<[n], f32>> {
// CHECK:        relax.multiply %[[DZ]], %x
// CHECK:      } else {
// CHECK-NOT:    relax.multiply
// CHECK:      }
// CHECK:      %[[DY:.*]] = relax.tuple_get_item %[[BOTH]] {index = 0 : i64}
// CHECK:      %[[DW:d_w]] = relax.multiply %[[DY]], %y
// CHECK:      %[[GRADS:.*]] = relax.tuple %[[DW]]
// CHECK:      relax.tuple %sum{{.*}}, %[[GRADS]]

// The loss is a field of the result; the other fields are passed through.
relax.func @pair(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[], f32>> {
  %a = relax.negative %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %s = relax.sum %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[], f32>
  %t = relax.tuple %a, %s : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[], f32>>
}

// PAIR-LABEL: relax.func @pair_adjoint(%x: !relax.tensor<[n], f32>)
// PAIR:      %[[VALUE:.*]] = relax.tuple %a{{.*}}, %s
// PAIR-NEXT: %[[LOSS:.*]] = relax.tuple_get_item %[[VALUE]] {index = 1 : i64}
// PAIR-NEXT: %[[SEED:.*]] = relax.ones_like %[[LOSS]]
// PAIR-NEXT: %[[SIZE:.*]] = relax.shape_of %x
// PAIR-NEXT: %[[DX:.*]] = relax.broadcast_to %[[SEED]], %[[SIZE]]
// PAIR-NEXT: %[[GRADS:.*]] = relax.tuple %[[DX]]
// PAIR-NEXT: relax.tuple %[[VALUE]], %[[GRADS]]

// VJP-LABEL: relax.func @pair_vjp(%x: !relax.tensor<[n], f32>, %g0: !relax.tensor<[n], f32>, %g1: !relax.tensor<[], f32>)
// VJP:      %[[ALL:.*]] = relax.broadcast_to %g1
// VJP:      %[[OF_A:.*]] = relax.multiply %g0
// VJP-NEXT: relax.add %[[ALL]], %[[OF_A]]

// A graph is evaluated in some order, in which its gradient goes back.
relax.func @graph(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %y = relax.graph {
    %c = relax.multiply %b, %x : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %b = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %c : !relax.tensor<[], f32>
  }
  relax.return %y : !relax.tensor<[], f32>
}

// VJP-LABEL: relax.func @graph_adjoint
// VJP:      %[[B:b.*]] = relax.exp %x
// VJP-NEXT: %[[C:c.*]] = relax.multiply %[[B]], %x
