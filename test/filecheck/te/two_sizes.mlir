// RUN: python %S/examples.py two_sizes | filecheck %s

// Sizes that nothing proves to be equal are compared before anything is read.

// CHECK:      func.func private @two_sizes(%A: tensor<?xf32> {relax.dims = ["n"]}, %B: tensor<?xf32> {relax.dims = ["m"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
// CHECK-NEXT:   %0 = arith.constant -1 : index
// CHECK-NEXT:   %c0 = arith.constant 0 : index
// CHECK-NEXT:   %m = tensor.dim %B, %c0 : tensor<?xf32>
// CHECK-NEXT:   %1 = arith.muli %0, %m : index
// CHECK-NEXT:   %n = tensor.dim %A, %c0 : tensor<?xf32>
// CHECK-NEXT:   %2 = arith.addi %1, %n : index
// CHECK-NEXT:   %3 = arith.maxsi %2, %c0 : index
// CHECK-NEXT:   %4 = arith.cmpi eq, %3, %c0 : index
// CHECK-NEXT:   cf.assert %4, "te.compute 'C': reads 'B' at indices 0 to {n - 1} of dimension 0, whose size is {m}; change the index or the shape, or guard the access with te.if_then_else" {relax.values}
// CHECK-NEXT:   %empty = tensor.empty(%n) : tensor<?xf32>
// CHECK-NEXT:   %C = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%A : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
// CHECK-NEXT:   ^bb0(%A_in: f32, %out: f32):
// CHECK-NEXT:     %i = linalg.index 0 : index
// CHECK-NEXT:     %5 = tensor.extract %B[%i] : tensor<?xf32>
// CHECK-NEXT:     %6 = arith.addf %A_in, %5 : f32
// CHECK-NEXT:     linalg.yield %6 : f32
// CHECK-NEXT:   } -> tensor<?xf32>
// CHECK-NEXT:   func.return %C : tensor<?xf32>
// CHECK-NEXT: }
