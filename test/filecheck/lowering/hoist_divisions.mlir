// RUN: relax-opt %s -p relax-linalg-to-loops | filecheck %s

// What the inner loop does not change is divided in front of it; a constant is no 0.
func.func private @groups(%n: index {relax.symbol = "n"}, %x: memref<8x?xindex> {relax.dims = ["8", "n"]}) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%x : memref<8x?xindex>) {
  ^bb0(%o: index):
    %c2 = arith.constant 2 : index
    %i = linalg.index 0 : index
    %g = arith.divsi %i, %c2 : index
    linalg.yield %g : index
  }
  func.return
}
// CHECK:      func.func private @groups(
// CHECK:        scf.for %i = %c0 to %c8 step %c1 {
// CHECK-NEXT:     %g = arith.divsi %i, %c2 : index
// CHECK-NEXT:     scf.for %j = %c0 to %n step %c1 {
// CHECK-NEXT:       memref.store %g, %x[%i, %j] : memref<8x?xindex>

// A divisor that may be 0 is made one that is not, and the quotient 0.
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

// A counter of the loop itself is divided at every turn.
func.func private @own(%n: index {relax.symbol = "n"}, %x: memref<?xindex> {relax.dims = ["n"]}) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%x : memref<?xindex>) {
  ^bb0(%o: index):
    %c2 = arith.constant 2 : index
    %i = linalg.index 0 : index
    %g = arith.divsi %i, %c2 : index
    linalg.yield %g : index
  }
  func.return
}
// CHECK:      func.func private @own(
// CHECK:        scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:     %g = arith.divsi %i, %c2 : index
// CHECK-NEXT:     memref.store %g, %x[%i] : memref<?xindex>
