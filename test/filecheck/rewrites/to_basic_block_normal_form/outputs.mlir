// RUN: relax-opt %s -p relax-to-basic-block-normal-form | filecheck %s
// RUN: relax-opt %s -p relax-to-graph-normal-form,relax-to-basic-block-normal-form | filecheck %s

// Values leave a graph in the order in which they stand there: a let stands after the op whose result it pins,
// so that %a comes after %b, however the graph was written and whatever form the function had before.
// CHECK-LABEL: relax.func @outputs
// CHECK:         %b, %a, %y = relax.graph
// CHECK:           %[[a:.*]], %[[b:.*]] = relax.while
// CHECK:           %[[let:.*]] = relax.let %[[a]]
// CHECK:           %[[y:.*]] = relax.if
// CHECK:           relax.output %[[b]], %[[let]], %[[y]] : !relax.tensor<[], i1>, !relax.tensor<[], f32>, !relax.tensor<[], f32>
// CHECK:         relax.print %a
// CHECK:         relax.print %b
// CHECK:         relax.return %y
relax.func @outputs(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %l, %b, %y = relax.graph {
    %a, %b = relax.while (%v = %x, %more = %c) : (!relax.tensor<[], f32>, !relax.tensor<[], i1>) -> (!relax.tensor<[], f32>, !relax.tensor<[], i1>) {
      relax.yield %more : !relax.tensor<[], i1>
    } do {
      %half = relax.multiply %v, 0.5 : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      %go = relax.less 1.0, %half : (!relax.tensor<[], f32>) -> !relax.tensor<[], i1>
      relax.yield %half, %go : !relax.tensor<[], f32>, !relax.tensor<[], i1>
    }
    %y = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %d = relax.exp %a : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %d : !relax.tensor<[], f32>
    } else {
      relax.yield %a : !relax.tensor<[], f32>
    }
    relax.output %a, %b, %y : !relax.tensor<[], f32>, !relax.tensor<[], i1>, !relax.tensor<[], f32>
  }
  relax.print %l : (!relax.tensor<[], f32>) -> ()
  relax.print %b : (!relax.tensor<[], i1>) -> ()
  relax.return %y : !relax.tensor<[], f32>
}
