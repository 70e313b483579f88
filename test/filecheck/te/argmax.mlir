// RUN: python %S/examples.py argmax | filecheck %s

// Values reduced together are the results of one generic.

// CHECK:      func.func private @argmax(%A: tensor<?x?xf32> {relax.dims = ["n", "m"]}) -> (tensor<?xi64> {relax.dims = ["n"]}, tensor<?xf32> {relax.dims = ["n"]}) {
// CHECK-NEXT:   %c0 = arith.constant 0 : index
// CHECK-NEXT:   %n = tensor.dim %A, %c0 : tensor<?x?xf32>
// CHECK-NEXT:   %empty = tensor.empty(%n) : tensor<?xi64>
// CHECK-NEXT:   %0 = arith.constant -1 : i64
// CHECK-NEXT:   %init = linalg.fill ins(%0 : i64) outs(%empty : tensor<?xi64>) -> tensor<?xi64>
// CHECK-NEXT:   %empty_1 = tensor.empty(%n) : tensor<?xf32>
// CHECK-NEXT:   %1 = arith.constant 0xff800000 : f32
// CHECK-NEXT:   %init_1 = linalg.fill ins(%1 : f32) outs(%empty_1 : tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:   %index, %value = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%A : tensor<?x?xf32>) outs(%init, %init_1 : tensor<?xi64>, tensor<?xf32>) {
// CHECK-NEXT:   ^bb0(%A_in: f32, %acc: i64, %acc_1: f32):
// CHECK-NEXT:     %k = linalg.index 1 : index
// CHECK-NEXT:     %2 = arith.index_cast %k : index to i64
// CHECK-NEXT:     %3 = arith.cmpf oge, %acc_1, %A_in : f32
// CHECK-NEXT:     %4 = arith.select %3, %acc, %2 : i64
// CHECK-NEXT:     %5 = arith.select %3, %acc_1, %A_in : f32
// CHECK-NEXT:     linalg.yield %4, %5 : i64, f32
// CHECK-NEXT:   } -> (tensor<?xi64>, tensor<?xf32>)
// CHECK-NEXT:   func.return %index, %value : tensor<?xi64>, tensor<?xf32>
// CHECK-NEXT: }
