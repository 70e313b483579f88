// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise | filecheck %s

// What follows a reduction elementwise joins it; what comes before it does not: it has another shape.

relax.func @main(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.dataflow {
    %0 = relax.negative %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %1 = relax.sum %0 {axis = array<i64: 1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>
    %2 = relax.sqrt %1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %2 : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK:      %0 = relax.call_tir @negative(%x)
// CHECK-NEXT: %1 = relax.call_tir @sum_sqrt(%0) : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT: relax.output %1
// CHECK:      func.func private @negative
// CHECK:      func.func private @sum_sqrt(
// CHECK:        %[[S:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]}
// CHECK-NOT:      math.sqrt
// CHECK:        linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[S]] :
// CHECK:          math.sqrt
// CHECK-NOT:  func.func
