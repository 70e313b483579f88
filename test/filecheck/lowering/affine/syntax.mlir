// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// The forms are those of MLIR: symbols are marked in subscripts, extremes in bounds.
func.func @forms(%m: memref<?x?xf32>, %v: memref<100xf32>, %n: index) -> f32 {
  %z = arith.constant 0.0 : f32
  %r = affine.for %i = 0 to %n step 2 iter_args(%a = %z) -> f32 {
    %s = affine.for %j = max affine_map<(d0)[s0] -> (d0 - 3, s0 floordiv 2)>(%i)[%n] to min affine_map<(d0) -> (d0 + 4, 9)>(%i) iter_args(%b = %a) -> (f32) {
      %x = affine.load %m[(%i + symbol(%n)) * 2, 5 - %j mod 5] : memref<?x?xf32>
      %k = affine.apply affine_map<(d0, d1)[s0] -> ((d0 - d1) ceildiv 3 + s0)>(%i, %j)[%n]
      %low = affine.max affine_map<(d0) -> (d0, -d0)>(%k)
      %high = affine.min affine_map<(d0)[s0] -> (s0, d0 mod 7)>(%low)[%n]
      %y = affine.if affine_set<(d0, d1)[s0] : (d0 - 1 >= 0, d1 - s0 == 0)>(%i, %j)[%n] -> f32 {
        affine.yield %x : f32
      } else {
        affine.yield %b : f32
      }
      affine.yield %y : f32
    }
    affine.yield %s : f32
  }
  affine.parallel (%i, %j) = (0, max(%n, 3)) to (min(symbol(%n), 7), 10) step (1, 2) {
    affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%i) {
      affine.store %z, %m[%i, -%j] : memref<?x?xf32>
    }
  }
  %t:2 = affine.parallel (%i) = (0) to (4) reduce ("addf", "maximumf") -> (f32, f32) {
    affine.yield %z, %z : f32, f32
  }
  %p:2 = affine.delinearize_index %n into (%n, 5) : index, index
  %q = affine.linearize_index disjoint [%p#0, %p#1] by (4, 5) : index
  %l = affine.vector_load %v[%p#1 + 1] : memref<100xf32>, vector<4xf32>
  affine.vector_store %l, %v[%q] : memref<100xf32>, vector<4xf32>
  affine.prefetch %m[%q, 3], write, locality<2>, instr : memref<?x?xf32>
  return %r : f32
}

// CHECK: %r = affine.for %i = 0 to %n step 2 iter_args(%a = %z) -> (f32) {
// CHECK-NEXT: %s = affine.for %j = max affine_map<(d0)[s0] -> ((d0 + -3), (s0 floordiv 2))>(%i)[%n] to min affine_map<(d0) -> ((d0 + 4), 9)>(%i) iter_args(%b = %a) -> (f32) {
// CHECK-NEXT: %x = affine.load %m[%i * 2 + symbol(%n) * 2, %j mod 5 * -1 + 5] : memref<?x?xf32>
// CHECK-NEXT: %k = affine.apply affine_map<(d0, d1)[s0] -> ((((d0 + (d1 * -1)) ceildiv 3) + s0))> (%i, %j)[%n]
// CHECK-NEXT: %low = affine.max affine_map<(d0) -> (d0, (d0 * -1))>(%k)
// CHECK-NEXT: %high = affine.min affine_map<(d0)[s0] -> (s0, (d0 mod 7))> (%low)[%n]
// CHECK-NEXT: %y = affine.if affine_set<(d0, d1)[s0] : ((d0 + -1) >= 0, (d1 + (s0 * -1)) == 0)>(%i, %j)[%n] -> (f32) {
// CHECK-NEXT: affine.yield %x : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: affine.yield %b : f32
// CHECK-NEXT: }
// CHECK-NEXT: affine.yield %y : f32
// CHECK-NEXT: }
// CHECK-NEXT: affine.yield %s : f32
// CHECK-NEXT: }
// CHECK-NEXT: affine.parallel (%[[i:.*]], %[[j:.*]]) = (0, max(%n, 3)) to (min(symbol(%n), 7), 10) step (1, 2) {
// CHECK-NEXT: affine.if affine_set<(d0) : ((d0 + -1) >= 0)>(%[[i]]) {
// CHECK-NEXT: affine.store %z, %m[%[[i]], %[[j]] * -1] : memref<?x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: %t, %[[t:.*]] = affine.parallel (%{{.*}}) = (0) to (4) reduce ("addf", "maximumf") -> (f32, f32) {
// CHECK-NEXT: affine.yield %z, %z : f32, f32
// CHECK-NEXT: }
// CHECK-NEXT: %p, %[[p:.*]] = affine.delinearize_index %n into (%n, 5) : index, index
// CHECK-NEXT: %q = affine.linearize_index disjoint [%p, %[[p]]] by (4, 5) : index
// CHECK-NEXT: %l = affine.vector_load %v[%[[p]] + 1] : memref<100xf32>, vector<4xf32>
// CHECK-NEXT: affine.vector_store %l, %v[%q] : memref<100xf32>, vector<4xf32>
// CHECK-NEXT: affine.prefetch %m[%q, 3], write, locality<2>, instr : memref<?x?xf32>

// GENERIC: "affine.load"(%m, %i, %j, %n) <{map = affine_map<(d0, d1)[s0] -> (((d0 * 2) + (s0 * 2)), (((d1 mod 5) * -1) + 5))>}>
// GENERIC: "affine.parallel"(%n, %n) <{reductions = [], lowerBoundsMap = affine_map<(d0) -> (0, d0, 3)>, lowerBoundsGroups = dense<[1, 2]> : tensor<2xi32>, upperBoundsMap = affine_map<()[s0] -> (s0, 7, 10)>, upperBoundsGroups = dense<[2, 1]> : tensor<2xi32>, steps = [1 : i64, 2 : i64]}>
// GENERIC: "affine.parallel"() <{reductions = [0 : i64, 4 : i64],
// GENERIC: "affine.delinearize_index"(%n, %n) <{static_basis = array<i64: -9223372036854775808, 5>}>
