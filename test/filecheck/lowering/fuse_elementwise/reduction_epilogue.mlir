// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise | filecheck %s

// What follows a reduction elementwise joins it as a stage of its own; what comes before is computed as the
// reduction reads it, if that is in its order and of floats.

relax.func @main(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.dataflow {
    %0 = relax.negative %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %1 = relax.sum %0 {axis = array<i64: 1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>
    %2 = relax.sqrt %1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %2 : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK:      relax.func @main
// CHECK:        %0 = relax.call_tir @negative_sum_sqrt(%x) : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   relax.output %0

relax.func @turned(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[m], f32> {
  %0 = relax.permute_dims %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m, n], f32>
  %1 = relax.sum %0 {axis = array<i64: 1>} : (!relax.tensor<[m, n], f32>) -> !relax.tensor<[m], f32>
  relax.return %1 : !relax.tensor<[m], f32>
}

// CHECK:      relax.func @turned
// CHECK:        %0 = relax.call_tir @permute_dims(%x)
// CHECK-NEXT:   %1 = relax.call_tir @sum{{(_1)?}}(%0)

relax.func @truths(%x: !relax.tensor<[n, m], i1>) -> !relax.tensor<[n], f32> {
  %0 = relax.astype %x {dtype = f32} : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n, m], f32>
  %1 = relax.sum %0 {axis = array<i64: 1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>
  relax.return %1 : !relax.tensor<[n], f32>
}

// CHECK:      relax.func @truths
// CHECK:        %0 = relax.call_tir @astype(%x)
// CHECK-NEXT:   %1 = relax.call_tir @sum{{(_1)?}}(%0)

// Nothing that is read would tell how many ones are added up.
relax.func @no_operand() -> !relax.tensor<[], f32> {
  %s = relax.shape [3, 4]
  %0 = relax.ones %s {dtype = f32} : (!relax.shape<[3, 4]>) -> !relax.tensor<[3, 4], f32>
  %1 = relax.sum %0 : (!relax.tensor<[3, 4], f32>) -> !relax.tensor<[], f32>
  relax.return %1 : !relax.tensor<[], f32>
}

// CHECK:      relax.func @no_operand
// CHECK:        %0 = relax.call_tir @ones()
// CHECK-NEXT:   %1 = relax.call_tir @sum{{(_[0-9])?}}(%0)

// CHECK:      func.func private @negative_sum_sqrt(
// CHECK:        %[[S:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%x :
// CHECK:          arith.negf
// CHECK:          arith.addf
// CHECK-NOT:      math.sqrt
// CHECK:        linalg.generic {{.*}}iterator_types = ["parallel"]} ins(%[[S]] :
// CHECK:          math.sqrt
