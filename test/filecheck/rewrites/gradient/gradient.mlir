// RUN: relax-opt %s -p 'relax-gradient{func=loss wrt=w},relax-to-a-normal-form' | filecheck %s

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
