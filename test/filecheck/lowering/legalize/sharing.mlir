// RUN: relax-opt %s -p relax-legalize | filecheck %s

// Operators alike up to the names of their symbols share one prim func; a taken name is left alone.

relax.func @f(%x: !relax.tensor<[n, m], f32>, %b: !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32> {
  %o = relax.dataflow {
    %y = relax.add %x, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
    %z = relax.relu %y : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    relax.output %z : !relax.tensor<[n, m], f32>
  }
  relax.return %o : !relax.tensor<[n, m], f32>
}

relax.func @relu(%x: !relax.tensor<[p, q], f32>, %b: !relax.tensor<[q], f32>) -> !relax.tensor<[p, q], f32> {
  %y = relax.add %x, %b : (!relax.tensor<[p, q], f32>, !relax.tensor<[q], f32>) -> !relax.tensor<[p, q], f32>
  %z = relax.add %y, %y : (!relax.tensor<[p, q], f32>, !relax.tensor<[p, q], f32>) -> !relax.tensor<[p, q], f32>
  relax.return %z : !relax.tensor<[p, q], f32>
}

// CHECK:      relax.func @f
// CHECK-NEXT:   %o = relax.dataflow {
// CHECK-NEXT:     %y = relax.call_tir @add(%x, %b) : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
// CHECK-NEXT:     %z = relax.call_tir @relu_1(%y) : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
// CHECK-NEXT:     relax.output %z
// CHECK:      relax.func @relu
// CHECK-NEXT:   %y = relax.call_tir @add(%x, %b)
// CHECK-NEXT:   %z = relax.call_tir @add_1(%y, %y)
// CHECK:      func.func private @add(%lhs: tensor<?x?xf32> {relax.dims = ["n", "m"]}, %rhs: tensor<?xf32> {relax.dims = ["m"]})
// CHECK:      func.func private @relu_1(
// CHECK:      func.func private @add_1(%lhs: tensor<?x?xf32> {relax.dims = ["p", "q"]}, %rhs: tensor<?x?xf32> {relax.dims = ["p", "q"]})
// CHECK-NOT:  func.func
