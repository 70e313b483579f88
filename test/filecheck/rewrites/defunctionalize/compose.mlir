// RUN: relax-opt %s -p relax-lambda-lift,relax-defunctionalize | filecheck %s

// What @compose gives captures what it gave before: each call has a function of its own.
relax.func private @compose(%f: !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, %g: !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>) -> !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>> {
  %h = relax.closure (%y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
    %1 = relax.call_closure %g, %y : (!relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %2 = relax.call_closure %f, %1 : (!relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.return %2 : !relax.tensor<[], f32>
  }
  relax.return %h : !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>
}
relax.func @main(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %d = relax.closure (%y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
    %1 = relax.add %y, %y : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.return %1 : !relax.tensor<[], f32>
  }
  %f = relax.closure (%y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
    %1 = relax.add %y, %x : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.return %1 : !relax.tensor<[], f32>
  }
  %fd = relax.call @compose(%f, %d) : (!relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>) -> !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>
  %dfd = relax.call @compose(%d, %fd) : (!relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>) -> !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>
  %r = relax.call_closure %dfd, %x : (!relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func private @compose(
// CHECK-NEXT:    %h = relax.tuple %g, %f : (tuple<>, tuple<!relax.tensor<[], f32>>)
// CHECK-LABEL: relax.func private @compose_1(
// CHECK-NEXT:    %h = relax.tuple %g, %f : (tuple<tuple<>, tuple<!relax.tensor<[], f32>>>, tuple<>)
// CHECK-LABEL: relax.func private @compose_h(
// CHECK:         relax.call @main_d(%y)
// CHECK:         relax.call @main_f(
// CHECK-LABEL: relax.func private @compose_h_1(
// CHECK:         relax.call @compose_h(
// CHECK:         relax.call @main_d(
// CHECK-LABEL: relax.func @main(
// CHECK:         %fd = relax.call @compose(%f, %d)
// CHECK-NEXT:    %dfd = relax.call @compose_1(%d, %fd)
// CHECK:         %r = relax.call @compose_h_1(
// CHECK-NOT:   relax.if
