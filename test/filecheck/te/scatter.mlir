// RUN: python %S/examples.py scatter | filecheck %s

// A kernel threads the tensor that it writes through its loop.

// CHECK:      func.func private @scatter(%data: tensor<?xf32> {relax.dims = ["n"]}, %rows: tensor<?xi64> {relax.dims = ["m"]}, %updates: tensor<?xf32> {relax.dims = ["m"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
// CHECK-NEXT:   %c0 = arith.constant 0 : index
// CHECK-NEXT:   %n = tensor.dim %data, %c0 : tensor<?xf32>
// CHECK-NEXT:   %out = tensor.empty(%n) : tensor<?xf32>
// CHECK-NEXT:   %out_1 = linalg.copy ins(%data : tensor<?xf32>) outs(%out : tensor<?xf32>) -> tensor<?xf32>
// CHECK-NEXT:   %m = tensor.dim %rows, %c0 : tensor<?xi64>
// CHECK-NEXT:   %c1 = arith.constant 1 : index
// CHECK-NEXT:   %out_2 = scf.for %j = %c0 to %m step %c1 iter_args(%out_3 = %out_1) -> (tensor<?xf32>) {
// CHECK-NEXT:     %0 = tensor.extract %rows[%j] : tensor<?xi64>
// CHECK-NEXT:     %1 = arith.index_cast %0 : i64 to index
// CHECK-NEXT:     %2 = arith.cmpi sge, %1, %c0 : index
// CHECK-NEXT:     %3 = arith.cmpi slt, %1, %n : index
// CHECK-NEXT:     %4 = arith.andi %2, %3 : i1
// CHECK-NEXT:     cf.assert %4, "scatter: row out of range"
// CHECK-NEXT:     %5 = tensor.extract %updates[%j] : tensor<?xf32>
// CHECK-NEXT:     %out_4 = tensor.insert %5 into %out_3[%1] : tensor<?xf32>
// CHECK-NEXT:     scf.yield %out_4 : tensor<?xf32>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return %out_2 : tensor<?xf32>
// CHECK-NEXT: }
