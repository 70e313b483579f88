// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise | filecheck %s

// A value that two members of the group use is computed once.

relax.func @main(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32> {
  %y = relax.dataflow {
    %0 = relax.exp %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %1 = relax.negative %0 : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %2 = relax.tanh %0 : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %3 = relax.multiply %1, %2 : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    relax.output %3 : !relax.tensor<[n, m], f32>
  }
  relax.return %y : !relax.tensor<[n, m], f32>
}

// CHECK:      %0 = relax.call_tir @exp_negative_tanh_multiply(%x) : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
// CHECK-NEXT: relax.output %0
// CHECK:      func.func private @exp_negative_tanh_multiply(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]})
// CHECK:        linalg.generic {{.*}} ins(%x : tensor<?x?xf32>)
// CHECK:          %[[E:.*]] = math.exp
// CHECK-NEXT:     %[[N:.*]] = arith.negf %[[E]] : f32
// CHECK-NEXT:     %[[T:.*]] = math.tanh %[[E]] : f32
// CHECK-NEXT:     %[[P:.*]] = arith.mulf %[[N]], %[[T]] : f32
// CHECK-NEXT:     linalg.yield %[[P]] : f32
// CHECK-NOT:  math.exp
// CHECK-NOT:  func.func
