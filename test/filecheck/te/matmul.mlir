// RUN: python %S/examples.py matmul | filecheck %s

// A reduction starts from its identity; a symbol is read once.

// CHECK:      func.func private @matmul(%A: tensor<?x64xf32> {relax.dims = ["n", "64"]}, %B: tensor<64x128xf32> {relax.dims = ["64", "128"]}) -> (tensor<?x128xf32> {relax.dims = ["n", "128"]}) {
// CHECK-NEXT:   %c0 = arith.constant 0 : index
// CHECK-NEXT:   %n = tensor.dim %A, %c0 : tensor<?x64xf32>
// CHECK-NEXT:   %empty = tensor.empty(%n) : tensor<?x128xf32>
// CHECK-NEXT:   %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:   %init = linalg.fill ins(%0 : f32) outs(%empty : tensor<?x128xf32>) -> tensor<?x128xf32>
// CHECK-NEXT:   %C = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%A, %B : tensor<?x64xf32>, tensor<64x128xf32>) outs(%init : tensor<?x128xf32>) {
// CHECK-NEXT:   ^bb0(%A_in: f32, %B_in: f32, %acc: f32):
// CHECK-NEXT:     %1 = arith.mulf %A_in, %B_in : f32
// CHECK-NEXT:     %2 = arith.addf %acc, %1 : f32
// CHECK-NEXT:     linalg.yield %2 : f32
// CHECK-NEXT:   } -> tensor<?x128xf32>
// CHECK-NEXT:   func.return %C : tensor<?x128xf32>
// CHECK-NEXT: }
