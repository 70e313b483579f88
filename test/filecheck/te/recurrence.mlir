// RUN: python %S/examples.py recurrence | filecheck %s

// Stages within a loop, whose states and rows are carried.

// CHECK:      func.func private @recurrence(%X: tensor<?x4xf32> {relax.dims = ["n", "4"]}, %W: tensor<4x4xf32> {relax.dims = ["4", "4"]}, %h: tensor<4xf32> {relax.dims = ["4"]}) -> (tensor<?x4xf32> {relax.dims = ["n", "4"]}) {
// CHECK-NEXT:   %c0 = arith.constant 0 : index
// CHECK-NEXT:   %n = tensor.dim %X, %c0 : tensor<?x4xf32>
// CHECK-NEXT:   %h_1 = tensor.empty(%n) : tensor<?x4xf32>
// CHECK-NEXT:   %c1 = arith.constant 1 : index
// CHECK-NEXT:   %h_2, %h_3 = scf.for %t = %c0 to %n step %c1 iter_args(%h_4 = %h, %h_5 = %h_1) -> (tensor<4xf32>, tensor<?x4xf32>) {
// CHECK-NEXT:     %empty = tensor.empty() : tensor<4xf32>
// CHECK-NEXT:     %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %init = linalg.fill ins(%0 : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:     %sums = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%h_4, %W : tensor<4xf32>, tensor<4x4xf32>) outs(%init : tensor<4xf32>) {
// CHECK-NEXT:     ^bb0(%h_in: f32, %W_in: f32, %acc: f32):
// CHECK-NEXT:       %1 = arith.mulf %h_in, %W_in : f32
// CHECK-NEXT:       %2 = arith.addf %acc, %1 : f32
// CHECK-NEXT:       linalg.yield %2 : f32
// CHECK-NEXT:     } -> tensor<4xf32>
// CHECK-NEXT:     %empty_1 = tensor.empty() : tensor<4xf32>
// CHECK-NEXT:     %h_6 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%sums : tensor<4xf32>) outs(%empty_1 : tensor<4xf32>) {
// CHECK-NEXT:     ^bb0(%sums_in: f32, %out: f32):
// CHECK-NEXT:       %i = linalg.index 0 : index
// CHECK-NEXT:       %3 = tensor.extract %X[%t, %i] : tensor<?x4xf32>
// CHECK-NEXT:       %4 = arith.addf %3, %sums_in : f32
// CHECK-NEXT:       %5 = math.tanh %4 : f32
// CHECK-NEXT:       linalg.yield %5 : f32
// CHECK-NEXT:     } -> tensor<4xf32>
// CHECK-NEXT:     %h_7 = tensor.insert_slice %h_6 into %h_5[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
// CHECK-NEXT:     scf.yield %h_6, %h_7 : tensor<4xf32>, tensor<?x4xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %h_3 : tensor<?x4xf32>
// CHECK-NEXT: }
