// RUN: relax-opt %s -p relax-raise-to-affine | filecheck %s
// RUN: relax-opt %s -p relax-raise-to-affine,relax-lower-affine,relax-raise-to-affine | filecheck %s

// Loops, their bounds and subscripts; a minimum that is added to is a bound of two expressions.
// CHECK-LABEL: func.func @loops(
// CHECK-NEXT: affine.for %i = 0 to %n step 4 {
// CHECK-NEXT: affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0)[s0] -> (s0, (d0 + 4))>(%i)[%n] {
// CHECK-NEXT: %x = affine.load %m[(%i + %j * 2) floordiv 3, %j mod 5] : memref<?x?xf32>
// CHECK-NEXT: affine.store %x, %m[%j, 0] : memref<?x?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @loops(%m: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %n step %c4 {
    %left = arith.subi %n, %i : index
    %some = arith.minsi %left, %c4 : index
    %stop = arith.addi %i, %some : index
    scf.for %j = %i to %stop step %c1 {
      %twice = arith.muli %j, %c2 : index
      %sum = arith.addi %i, %twice : index
      %p = arith.divui %sum, %c3 : index
      %q = arith.remui %j, %c5 : index
      %x = memref.load %m[%p, %q] : memref<?x?xf32>
      memref.store %x, %m[%j, %c0] : memref<?x?xf32>
    }
  }
  return
}

// Comparisons of indices; a comparison of data stays.
// CHECK-LABEL: func.func @branches(
// CHECK: affine.for %i = 0 to %d iter_args(%a = %z) -> (f32) {
// CHECK: affine.if affine_set<(d0)[s0] : (((d0 + (s0 * -1)) + -1) >= 0, ((d0 * -1) + 7) >= 0)>(%i)[%n] -> (f32) {
// CHECK: scf.if
func.func @branches(%m: memref<?xf32>, %n: index, %z: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %d = memref.dim %m, %c0 : memref<?xf32>
  %r = scf.for %i = %c0 to %d step %c1 iter_args(%a = %z) -> (f32) {
    %x = memref.load %m[%i] : memref<?xf32>
    %above = arith.cmpi sgt, %i, %n : index
    %below = arith.cmpi ult, %i, %c8 : index
    %both = arith.andi %above, %below : i1
    %y = scf.if %both -> (f32) {
      scf.yield %x : f32
    } else {
      scf.yield %a : f32
    }
    %less = arith.cmpf olt, %x, %y : f32
    scf.if %less {
      memref.store %y, %m[%i] : memref<?xf32>
    }
    scf.yield %y : f32
  }
  return %r : f32
}

// Parallel loops; a reduction that starts at its identity has a name, another one has none.
// CHECK-LABEL: func.func @parallel(
// CHECK: %r = affine.parallel (%i) = (0) to (symbol(%n)) step (2) reduce ("addf") -> (f32) {
// CHECK-NEXT: %x = affine.load %m[%i] : memref<?xf32>
// CHECK-NEXT: affine.yield %x : f32
// CHECK-NEXT: }
// CHECK: scf.parallel
func.func @parallel(%m: memref<?xf32>, %n: index, %from: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c2) init (%z) -> f32 {
    %x = memref.load %m[%i] : memref<?xf32>
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      scf.reduce.return %sum : f32
    }
  }
  %s = scf.parallel (%i) = (%c0) to (%n) step (%c2) init (%from) -> f32 {
    %x = memref.load %m[%i] : memref<?xf32>
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      scf.reduce.return %sum : f32
    }
  }
  return %r, %s : f32, f32
}

// An index that is read from memory, a bound that depends on it, an unknown step: these ops stay, and so does
// the sum of a counter that is not affine; the loops around and inside are affine.
// CHECK-LABEL: func.func @data(
// CHECK: affine.for %i = 0 to %n {
// CHECK-NEXT: %k = affine.load %p[%i] : memref<?xindex>
// CHECK-NEXT: %x = memref.load %m[%k] : memref<?xf32>
// CHECK-NEXT: scf.for %j = %{{.*}} to %k step %{{.*}} {
// CHECK-NEXT: affine.for %l = 0 to 4 {
// CHECK-NEXT: affine.store %x, %m[%l] : memref<?xf32>
// CHECK-NEXT: %at = arith.addi %j, %l : index
// CHECK-NEXT: memref.store %x, %m[%at] : memref<?xf32>
// CHECK: scf.for %t = %{{.*}} to %n step %n {
func.func @data(%p: memref<?xindex>, %m: memref<?xf32>, %n: index, %z: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %n step %c1 {
    %k = memref.load %p[%i] : memref<?xindex>
    %x = memref.load %m[%k] : memref<?xf32>
    scf.for %j = %c0 to %k step %c1 {
      scf.for %l = %c0 to %c4 step %c1 {
        memref.store %x, %m[%l] : memref<?xf32>
        %at = arith.addi %j, %l : index
        memref.store %x, %m[%at] : memref<?xf32>
      }
    }
  }
  scf.for %t = %c0 to %n step %n {
    memref.store %z, %m[%t] : memref<?xf32>
  }
  return
}

// A quotient rounds towards zero where its dividend may be negative: it is no floordiv.
// CHECK-LABEL: func.func @negative(
// CHECK: affine.for %i = -4 to 4 {
// CHECK: arith.divsi
// CHECK: memref.store
// CHECK: affine.store %z, %m[%i floordiv 2 + 2] : memref<?xf32>
func.func @negative(%m: memref<?xf32>, %z: f32) {
  %low = arith.constant -4 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %low to %c4 step %c1 {
    %q = arith.divsi %i, %c2 : index
    %p = arith.addi %q, %c2 : index
    memref.store %z, %m[%p] : memref<?xf32>
    %f = arith.floordivsi %i, %c2 : index
    %g = arith.addi %f, %c2 : index
    memref.store %z, %m[%g] : memref<?xf32>
  }
  return
}

// Lanes and prefetches have affine subscripts too.
// CHECK-LABEL: func.func @lanes(
// CHECK: affine.for %i = 0 to %n step 4 {
// CHECK-NEXT: %v = affine.vector_load %m[%i] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT: affine.prefetch %m[%i + 64], read, locality<3>, data : memref<?xf32>
// CHECK-NEXT: affine.vector_store %v, %o[%i] : memref<?xf32>, vector<4xf32>
func.func @lanes(%m: memref<?xf32>, %o: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %n step %c4 {
    %v = vector.load %m[%i] : memref<?xf32>, vector<4xf32>
    %far = arith.addi %i, %c64 : index
    memref.prefetch %m[%far], read, locality<3>, data : memref<?xf32>
    vector.store %v, %o[%i] : memref<?xf32>, vector<4xf32>
  }
  return
}
