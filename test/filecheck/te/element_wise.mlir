// RUN: python %S/examples.py element_wise | filecheck %s

// CHECK:      func.func private @element_wise(%A: tensor<128x128xf32> {relax.dims = ["128", "128"]}) -> (tensor<128x128xf32> {relax.dims = ["128", "128"]}) {
// CHECK-NEXT:   %empty = tensor.empty() : tensor<128x128xf32>
// CHECK-NEXT:   %B = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%A : tensor<128x128xf32>) outs(%empty : tensor<128x128xf32>) {
// CHECK-NEXT:   ^bb0(%A_in: f32, %out: f32):
// CHECK-NEXT:     %0 = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:     %1 = arith.mulf %A_in, %0 : f32
// CHECK-NEXT:     linalg.yield %1 : f32
// CHECK-NEXT:   } -> tensor<128x128xf32>
// CHECK-NEXT:   func.return %B : tensor<128x128xf32>
// CHECK-NEXT: }
