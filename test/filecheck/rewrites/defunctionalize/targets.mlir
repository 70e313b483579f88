// RUN: relax-opt %s -p relax-lambda-lift,relax-defunctionalize | filecheck %s

relax.func private @scaled(%a: !relax.tensor<[], f32>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.multiply %x, %a : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func private @shifted(%v: !relax.tensor<[n], f32>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.add %x, %v : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// One function that the value can be: a tuple of its captures.
relax.func @one(%a: !relax.tensor<[], f32>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %f = relax.make_closure @scaled(%a) : (!relax.tensor<[], f32>) -> !relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>>
  %y = relax.call_closure %f, %x : (!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// Two: a tag, and captures of two kinds.
relax.func @two(%c: !relax.tensor<[], i1>, %a: !relax.tensor<[], f32>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %f = relax.if %c : (!relax.tensor<[], i1>) -> !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>> {
    %g = relax.make_closure @shifted(%x) : (!relax.tensor<[n], f32>) -> !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>
    relax.yield %g : !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>
  } else {
    %h = relax.closure (%y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
      relax.return %y : !relax.tensor<[n], f32>
    }
    relax.yield %h : !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>
  }
  %y = relax.call_closure %f, %x : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @one(
// CHECK-NEXT:    %f = relax.tuple %a : (!relax.tensor<[], f32>) -> tuple<!relax.tensor<[], f32>>
// CHECK-NEXT:    %0 = relax.tuple_get_item %f {index = 0 : i64}
// CHECK-NEXT:    %y = relax.call @scaled(%0, %x) : (!relax.tensor<[], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    relax.return %y

// CHECK-LABEL: relax.func @two(
// CHECK-NEXT:    %f = relax.if %c : (!relax.tensor<[], i1>) -> tuple<!relax.tensor<[], i64>, tuple<!relax.tensor<[?], f32>>, tuple<!relax.shape<[?]>>> {
// CHECK-NEXT:      %g = relax.tuple %x : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[?], f32>>
// CHECK-NEXT:      %[[TAG:.*]] = relax.constant dense<1> : tensor<i64>
// CHECK-NEXT:      %[[ZERO:.*]] = relax.shape [0]
// CHECK-NEXT:      %[[NONE:.*]] = relax.tuple %[[ZERO]]
// CHECK-NEXT:      %[[ALL:.*]] = relax.tuple %[[TAG]], %g, %[[NONE]]
// CHECK-NEXT:      relax.yield %[[ALL]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[SHAPE:.*]] = relax.shape [n]
// CHECK-NEXT:      %h = relax.tuple %[[SHAPE]] : (!relax.shape<[n]>) -> tuple<!relax.shape<[?]>>
// CHECK-NEXT:      %[[TAG:.*]] = relax.constant dense<2> : tensor<i64>
// CHECK-NEXT:      %[[EMPTY:.*]] = relax.constant dense<> : tensor<0xf32>
// CHECK-NEXT:      %[[NONE:.*]] = relax.tuple %[[EMPTY]]
// CHECK-NEXT:      %[[ALL:.*]] = relax.tuple %[[TAG]], %[[NONE]], %h
// CHECK-NEXT:      relax.yield %[[ALL]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[TAG:.*]] = relax.tuple_get_item %f {index = 0 : i64}
// CHECK-NEXT:    %[[SECOND:.*]] = relax.constant dense<2> : tensor<i64>
// CHECK-NEXT:    %[[IS:.*]] = relax.less %[[TAG]], %[[SECOND]]
// CHECK-NEXT:    %y = relax.if %[[IS]] : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
// CHECK:           relax.call @shifted(
// CHECK:         } else {
// CHECK:           relax.call @two_h(
// CHECK:         }
// CHECK-NEXT:    relax.return %y
