// RUN: python %S/examples.py gather | filecheck %s

// An index that is an element of a tensor is checked where it is used.

// CHECK:      func.func private @gather(%A: tensor<?xf32> {relax.dims = ["n"]}, %rows: tensor<?xi64> {relax.dims = ["m"]}) -> (tensor<?xf32> {relax.dims = ["m"]}) {
// CHECK-NEXT:   %c0 = arith.constant 0 : index
// CHECK-NEXT:   %m = tensor.dim %rows, %c0 : tensor<?xi64>
// CHECK-NEXT:   %empty = tensor.empty(%m) : tensor<?xf32>
// CHECK-NEXT:   %n = tensor.dim %A, %c0 : tensor<?xf32>
// CHECK-NEXT:   %B = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%rows : tensor<?xi64>) outs(%empty : tensor<?xf32>) {
// CHECK-NEXT:   ^bb0(%rows_in: i64, %out: f32):
// CHECK-NEXT:     %0 = arith.index_cast %rows_in : i64 to index
// CHECK-NEXT:     %1 = arith.cmpi sge, %0, %c0 : index
// CHECK-NEXT:     %2 = arith.cmpi slt, %0, %n : index
// CHECK-NEXT:     %3 = arith.andi %1, %2 : i1
// CHECK-NEXT:     cf.assert %3, "te.compute 'B': expected every index to be within 0..size-1 of axis 0 of 'A'"
// CHECK-NEXT:     %4 = tensor.extract %A[%0] : tensor<?xf32>
// CHECK-NEXT:     linalg.yield %4 : f32
// CHECK-NEXT:   } -> tensor<?xf32>
// CHECK-NEXT:   func.return %B : tensor<?xf32>
// CHECK-NEXT: }
