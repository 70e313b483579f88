// RUN: python %S/examples.py cumsum | filecheck %s

// The scanned axis is a reduction: its steps are taken in order, and each one is written.

// CHECK:      func.func private @cumsum(%A: tensor<?x?xf32> {relax.dims = ["n", "m"]}) -> (tensor<?x?xf32> {relax.dims = ["n", "m"]}) {
// CHECK-NEXT:   %c0 = arith.constant 0 : index
// CHECK-NEXT:   %n = tensor.dim %A, %c0 : tensor<?x?xf32>
// CHECK-NEXT:   %c1 = arith.constant 1 : index
// CHECK-NEXT:   %m = tensor.dim %A, %c1 : tensor<?x?xf32>
// CHECK-NEXT:   %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
// CHECK-NEXT:   %empty_1 = tensor.empty(%n) : tensor<?xf32>
// CHECK-NEXT:   %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:   %init = linalg.fill ins(%0 : f32) outs(%empty_1 : tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:   %B, %total = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%A : tensor<?x?xf32>) outs(%empty, %init : tensor<?x?xf32>, tensor<?xf32>) {
// CHECK-NEXT:   ^bb0(%A_in: f32, %out: f32, %acc: f32):
// CHECK-NEXT:     %1 = arith.addf %acc, %A_in : f32
// CHECK-NEXT:     linalg.yield %1, %1 : f32, f32
// CHECK-NEXT:   } -> (tensor<?x?xf32>, tensor<?xf32>)
// CHECK-NEXT:   func.return %B : tensor<?x?xf32>
// CHECK-NEXT: }
