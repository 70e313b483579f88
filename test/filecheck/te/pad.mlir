// RUN: python %S/examples.py pad | filecheck %s

// The branch that is not taken reads nothing; linalg.index stands outside of the scf.if.

// CHECK:      %B = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%empty : tensor<?xf32>) {
// CHECK-NEXT: ^bb0(%out: f32):
// CHECK-NEXT:   %i = linalg.index 0 : index
// CHECK-NEXT:   %c1_1 = arith.constant 1 : index
// CHECK-NEXT:   %1 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:   %2 = arith.cmpi sge, %i, %c1_1 : index
// CHECK-NEXT:   %3 = scf.if %2 -> (f32) {
// CHECK-NEXT:     %4 = arith.subi %i, %c1_1 : index
// CHECK-NEXT:     %5 = tensor.extract %A[%4] : tensor<?xf32>
// CHECK-NEXT:     scf.yield %5 : f32
// CHECK-NEXT:   } else {
// CHECK-NEXT:     scf.yield %1 : f32
// CHECK-NEXT:   }
// CHECK-NEXT:   linalg.yield %3 : f32
