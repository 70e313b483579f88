// RUN: relax-opt %s -p relax-linalg-to-loops | filecheck %s

// What the inner loop does not change is divided in front of it: by 1 where the divisor is 0, whose quotient is 0.
func.func private @unknown(%n: index {relax.symbol = "n"}, %x: memref<8x?xindex> {relax.dims = ["8", "n"]}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%x : memref<8x?xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %g = arith.divsi %i, %n : index
    linalg.yield %g : index
  }
  func.return
}
// CHECK:      func.func private @unknown(
// CHECK:        scf.for %i = %c0 to %c8 step %c1 {
// CHECK-NEXT:     [[ZERO:%.*]] = arith.cmpi eq, %n, %c0 : index
// CHECK-NEXT:     [[SAFE:%.*]] = arith.select [[ZERO]], %c1, %n : index
// CHECK-NEXT:     [[QUOTIENT:%.*]] = arith.divsi %i, [[SAFE]] : index
// CHECK-NEXT:     [[WHOLE:%.*]] = arith.select [[ZERO]], %c0, [[QUOTIENT]] : index
// CHECK-NEXT:     scf.for %j = %c0 to %n step %c1 {
// CHECK-NEXT:       memref.store [[WHOLE]], %x[%i, %j] : memref<8x?xindex>

// The counter of the loop itself is divided at every turn, and a constant is left to the C compiler.
func.func private @others(%n: index {relax.symbol = "n"}, %x: memref<8x?xindex> {relax.dims = ["8", "n"]}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%x : memref<8x?xindex>) {
  ^bb0(%o: index):
    %c2 = arith.constant 2 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %g = arith.divsi %i, %c2 : index
    %h = arith.divsi %j, %n : index
    %s = arith.addi %g, %h : index
    linalg.yield %s : index
  }
  func.return
}
// CHECK:      func.func private @others(
// CHECK:        scf.for %i = %c0 to %c8 step %c1 {
// CHECK-NEXT:     scf.for %j = %c0 to %n step %c1 {
// CHECK-NEXT:       %g = arith.divsi %i, %c2 : index
// CHECK-NEXT:       %h = arith.divsi %j, %n : index
