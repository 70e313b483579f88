// RUN: relax-opt %s -p relax-lower-affine | filecheck %s
// RUN: xdsl-opt %s -p relax-lower-affine | filecheck %s

// The greatest lower and the least upper bound; subscripts that are never negative take unsigned remainders.
// CHECK-LABEL: func.func @loop(
// CHECK-NEXT: %[[c3:.*]] = arith.constant 3 : index
// CHECK-NEXT: %[[m3:.*]] = arith.subi %n, %[[c3]] : index
// CHECK-NEXT: %[[c0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[low:.*]] = arith.maxsi %[[m3]], %[[c0]] : index
// CHECK-NEXT: %[[c2:.*]] = arith.constant 2 : index
// CHECK-NEXT: %[[half:.*]] = arith.floordivsi %n, %[[c2]] : index
// CHECK-NEXT: %[[c9:.*]] = arith.constant 9 : index
// CHECK-NEXT: %[[high:.*]] = arith.minsi %[[half]], %[[c9]] : index
// CHECK-NEXT: %r = scf.for %i = %[[low]] to %[[high]] step %[[c2]] iter_args(%a = %z) -> (f32) {
// CHECK-NEXT: %[[c5:.*]] = arith.constant 5 : index
// CHECK-NEXT: %[[at:.*]] = arith.remui %i, %[[c5]] : index
// CHECK-NEXT: %x = memref.load %m[%[[at]]] : memref<?xf32>
// CHECK-NEXT: scf.yield %x : f32
// CHECK-NEXT: }
func.func @loop(%m: memref<?xf32>, %n: index, %z: f32) -> f32 {
  %r = affine.for %i = max affine_map<()[s0] -> (s0 - 3, 0)>()[%n] to min affine_map<()[s0] -> (s0 floordiv 2, 9)>()[%n] step 2 iter_args(%a = %z) -> f32 {
    %x = affine.load %m[%i mod 5] : memref<?xf32>
    affine.yield %x : f32
  }
  return %r : f32
}

// A remainder has the sign of its divisor.
// CHECK-LABEL: func.func @remainder(
// CHECK-NEXT: %[[c5:.*]] = arith.constant 5 : index
// CHECK-NEXT: %[[q:.*]] = arith.floordivsi %n, %[[c5]] : index
// CHECK-NEXT: %[[p:.*]] = arith.muli %[[q]], %[[c5]] : index
// CHECK-NEXT: %[[r:.*]] = arith.subi %n, %[[p]] : index
// CHECK-NEXT: func.return %[[r]] : index
func.func @remainder(%n: index) -> index {
  %r = affine.apply affine_map<()[s0] -> (s0 mod 5)>()[%n]
  return %r : index
}

// All constraints hold, or the else is taken.
// CHECK-LABEL: func.func @branch(
// CHECK: %[[first:.*]] = arith.cmpi sge, %{{.*}}, %{{.*}} : index
// CHECK: %[[second:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : index
// CHECK-NEXT: %[[both:.*]] = arith.andi %[[first]], %[[second]] : i1
// CHECK-NEXT: scf.if %[[both]] {
// CHECK-NEXT: %[[p1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[at:.*]] = arith.addi %i, %[[p1]] : index
// CHECK-NEXT: memref.store %z, %m[%[[at]]] : memref<?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: }
func.func @branch(%m: memref<?xf32>, %i: index, %n: index, %z: f32) {
  affine.if affine_set<(d0)[s0] : (d0 - 1 >= 0, d0 - s0 == 0)>(%i)[%n] {
    affine.store %z, %m[%i + 1] : memref<?xf32>
  }
  return
}

// Reductions start at their identities.
// CHECK-LABEL: func.func @parallel(
// CHECK: %[[zero:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[least:.*]] = arith.constant 0xff800000 : f32
// CHECK-NEXT: %r, %[[most:.*]] = scf.parallel (%i) = (%{{.*}}) to (%n) step (%{{.*}}) init (%[[zero]], %[[least]]) -> (f32, f32) {
// CHECK-NEXT: %x = memref.load %m[%i] : memref<?xf32>
// CHECK-NEXT: scf.reduce(%x, %x : f32, f32) {
// CHECK-NEXT: ^bb{{.*}}(%[[a:.*]]: f32, %[[b:.*]]: f32):
// CHECK-NEXT: %[[sum:.*]] = arith.addf %[[a]], %[[b]] : f32
// CHECK-NEXT: scf.reduce.return %[[sum]] : f32
// CHECK-NEXT: }, {
// CHECK-NEXT: ^bb{{.*}}(%[[c:.*]]: f32, %[[d:.*]]: f32):
// CHECK-NEXT: %[[max:.*]] = arith.maximumf %[[c]], %[[d]] : f32
// CHECK-NEXT: scf.reduce.return %[[max]] : f32
func.func @parallel(%m: memref<?xf32>, %n: index) -> (f32, f32) {
  %r:2 = affine.parallel (%i) = (0) to (symbol(%n)) reduce ("addf", "maximumf") -> (f32, f32) {
    %x = affine.load %m[%i] : memref<?xf32>
    affine.yield %x, %x : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// The first digit has no upper limit, whether or not the basis has an entry for it.
// CHECK-LABEL: func.func @digits(
// CHECK-NEXT: %[[c5:.*]] = arith.constant 5 : index
// CHECK-NEXT: %[[q:.*]] = arith.floordivsi %x, %[[c5]] : index
// CHECK-NEXT: %[[p:.*]] = arith.muli %[[q]], %[[c5]] : index
// CHECK-NEXT: %[[r:.*]] = arith.subi %x, %[[p]] : index
// CHECK-NEXT: %[[d:.*]] = arith.floordivsi %x, %[[c5]] : index
// CHECK-NEXT: %[[scaled:.*]] = arith.muli %[[d]], %n : index
// CHECK-NEXT: %[[back:.*]] = arith.addi %[[scaled]], %[[r]] : index
func.func @digits(%x: index, %n: index) -> index {
  %d:2 = affine.delinearize_index %x into (7, 5) : index, index
  %y = affine.linearize_index [%d#0, %d#1] by (%n) : index
  return %y : index
}

// CHECK-LABEL: func.func @lanes(
// CHECK: %v = vector.load %m[%{{.*}}] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT: vector.store %v, %m[%i] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT: memref.prefetch %m[%i], read, locality<3>, data : memref<?xf32>
func.func @lanes(%m: memref<?xf32>, %i: index) {
  %v = affine.vector_load %m[%i + 4] : memref<?xf32>, vector<4xf32>
  affine.vector_store %v, %m[%i] : memref<?xf32>, vector<4xf32>
  affine.prefetch %m[%i], read, locality<3>, data : memref<?xf32>
  return
}
