// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise | filecheck %s

// Bias and relu join the matmul; fill, contraction and epilogue stay stages of their own.

relax.func @main(%x: !relax.tensor<[n, 64], f32>, %w: !relax.tensor<[64, m], f32>, %b: !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32> {
  %y = relax.dataflow {
    %0 = relax.matmul %x, %w : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, m], f32>) -> !relax.tensor<[n, m], f32>
    %1 = relax.add %0, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
    %2 = relax.relu %1 : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    relax.output %2 : !relax.tensor<[n, m], f32>
  }
  relax.return %y : !relax.tensor<[n, m], f32>
}

// CHECK:      %0 = relax.call_tir @matmul_add_relu(%x, %w, %b) : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
// CHECK-NEXT: relax.output %0
// CHECK:      func.func private @matmul_add_relu(%x: tensor<?x64xf32> {relax.dims = ["n", "64"]}, %w: tensor<64x?xf32> {relax.dims = ["64", "m"]}, %b: tensor<?xf32> {relax.dims = ["m"]}) -> (tensor<?x?xf32> {relax.dims = ["n", "m"]})
// CHECK:        %[[INIT:.*]] = linalg.fill
// CHECK-NEXT:   %[[C:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : {{.*}} outs(%[[INIT]] :
// CHECK:          arith.mulf
// CHECK-NEXT:     arith.addf
// CHECK-NEXT:     linalg.yield
// CHECK:        linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%[[C]], %b : {{.*}}
// CHECK:          arith.addf
// CHECK-NEXT:     arith.constant
// CHECK-NEXT:     arith.maximumf
// CHECK-NEXT:     linalg.yield
// CHECK-NOT:  func.func
