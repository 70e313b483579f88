// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise | filecheck %s

// A chain of elementwise operators becomes one prim func with one loop nest, in the order of evaluation.

relax.func @main(%x: !relax.tensor<[n, m], f32>, %b: !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32> {
  %y = relax.dataflow {
    %2 = relax.relu %1 : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %0 = relax.exp %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %1 = relax.add %0, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
    relax.output %2 : !relax.tensor<[n, m], f32>
  }
  relax.return %y : !relax.tensor<[n, m], f32>
}

// CHECK:      relax.func @main(%x: !relax.tensor<[n, m], f32>, %b: !relax.tensor<[m], f32>)
// CHECK-NEXT:   %y = relax.dataflow {
// CHECK-NEXT:     %0 = relax.call_tir @exp_add_relu(%x, %b) : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
// CHECK-NEXT:     relax.output %0 : !relax.tensor<[n, m], f32>
// CHECK:      func.func private @exp_add_relu(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]}, %b: tensor<?xf32> {relax.dims = ["m"]}) -> (tensor<?x?xf32> {relax.dims = ["n", "m"]}) {
// CHECK:        %out = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} ins(%x, %b : tensor<?x?xf32>, tensor<?xf32>)
// CHECK-NEXT:   ^{{.*}}(%x_in: f32, %rhs_in: f32, %{{.*}}: f32):
// CHECK-NEXT:     %lhs_in = math.exp %x_in : f32
// CHECK-NEXT:     %x_in_1 = arith.addf %lhs_in, %rhs_in : f32
// CHECK-NEXT:     %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %1 = arith.maximumf %x_in_1, %0 : f32
// CHECK-NEXT:     linalg.yield %1 : f32
// CHECK-NEXT:   } -> tensor<?x?xf32>
// CHECK-NEXT:   func.return %out
// CHECK-NOT:  func.func
