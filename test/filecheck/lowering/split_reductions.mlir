// RUN: relax-opt %s -p 'relax-split-reductions{cpu=x86-64-v4}' | filecheck %s
// RUN: relax-opt %s -p 'relax-split-reductions{cpu=generic}' | filecheck %s --check-prefix GENERIC

// A sum in a row is reduced in lanes where it is long enough, and as it was where it is not.
// The lanes are as many as fill four vectors of the CPU.
// CHECK-LABEL: func.func @sum(
// GENERIC-LABEL: func.func @sum(
// GENERIC: %lanes = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// GENERIC: arith.cmpi uge, %n, %c32 : index
// CHECK: %lanes = memref.alloca() {alignment = 64 : i64} : memref<64xf32>
// CHECK: %long = arith.cmpi uge, %n, %c128 : index
// CHECK-NEXT: %[[some:.*]] = arith.cmpi uge, %n, %c32 : index
// CHECK-NEXT: %[[left:.*]] = arith.remui %n, %c16 : index
// CHECK-NEXT: %[[even:.*]] = arith.cmpi eq, %[[left]], %c0 : index
// CHECK-NEXT: %fills = arith.andi %[[some]], %[[even]] : i1
// CHECK-NEXT: %[[worth:.*]] = arith.ori %long, %fills : i1
// CHECK-NEXT: %sum = scf.if %[[worth]] -> (f32) {
// CHECK-NEXT: %rest = arith.remui %n, %c64 : index
// CHECK-NEXT: %main = arith.subi %n, %rest : index
// CHECK-NEXT: scf.for %l = %c0 to %c64 step %c1 {
// CHECK-NEXT: memref.store %zero, %lanes[%l] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.for %i = %c0 to %main step %c64 {
// CHECK-NEXT: scf.for %[[l:.*]] = %c0 to %c64 step %c1 {
// CHECK-NEXT: %[[at:.*]] = arith.addi %i, %[[l]] : index
// CHECK-NEXT: %lane = memref.load %lanes[%[[l]]] : memref<64xf32>
// CHECK-NEXT: %x = memref.load %A[%[[at]]] : memref<?xf32>
// CHECK-NEXT: %s = arith.addf %lane, %x : f32
// CHECK-NEXT: memref.store %s, %lanes[%[[l]]] : memref<64xf32>
// CHECK: scf.for %[[r:.*]] = %c0 to %rest step %c1 {
// CHECK-NEXT: arith.addi %main, %[[r]] : index
// CHECK: scf.for %[[f:.*]] = %c0 to %c32 step %c1 {
// CHECK-NEXT: %[[other:.*]] = arith.addi %[[f]], %c32 : index
// CHECK-NEXT: %[[x:.*]] = memref.load %lanes[%[[f]]]
// CHECK-NEXT: %[[y:.*]] = memref.load %lanes[%[[other]]]
// CHECK-NEXT: %[[z:.*]] = arith.addf %[[x]], %[[y]] : f32
// CHECK-NEXT: memref.store %[[z]], %lanes[%[[f]]]
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1 {
// CHECK: %[[left:.*]] = vector.load %lanes[%c0] : memref<64xf32>, vector<16xf32>
// CHECK-NEXT: %[[first:.*]] = vector.reduction <add>, %[[left]] : vector<16xf32> into f32
// CHECK-NEXT: %[[joined:.*]] = arith.addf %zero, %[[first]] : f32
// CHECK: scf.yield %[[joined]] : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[plain:.*]] = scf.for %{{.*}} = %c0 to %n step %c1 iter_args(%{{.*}} = %zero) -> (f32) {
// CHECK: scf.yield %[[plain]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : f32
func.func @sum(%n: index, %A: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %A[%i] : memref<?xf32>
    %s = arith.addf %acc, %x : f32
    scf.yield %s : f32
  }
  func.return %sum : f32
}

// A known number of elements needs no choice; 8 bytes each are half as many lanes.
// CHECK-LABEL: func.func @known(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<32xf64>
// CHECK-NOT: scf.if
// CHECK: scf.for %i = %c0 to %c96 step %c32 {
// CHECK-NOT: iter_args(%acc
// CHECK: func.return
func.func @known(%A: memref<100xf64>, %low: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %top = scf.for %i = %c0 to %c100 step %c1 iter_args(%acc = %low) -> (f64) {
    %x = memref.load %A[%i] : memref<100xf64>
    %s = arith.maximumf %acc, %x : f64
    scf.yield %s : f64
  }
  func.return %top : f64
}

// A lane of the greatest number so far is never NaN: a comparison is enough, but for what the loop began with.
// CHECK-LABEL: func.func @number(
// CHECK: scf.for %i = %c0 to %c128 step %c64 {
// CHECK: %lane = memref.load %lanes
// CHECK-NEXT: %x = memref.load %A
// CHECK-NEXT: %[[beyond:.*]] = arith.cmpf ogt, %x, %lane : f32
// CHECK-NEXT: %s = arith.select %[[beyond]], %x, %lane : f32
// CHECK-NEXT: memref.store %s, %lanes
// CHECK: arith.maxnumf %low, %{{.*}} : f32
// CHECK-NEXT: func.return
func.func @number(%A: memref<128xf32>, %low: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %top = scf.for %i = %c0 to %c128 step %c1 iter_args(%acc = %low) -> (f32) {
    %x = memref.load %A[%i] : memref<128xf32>
    %s = arith.maxnumf %x, %acc : f32
    scf.yield %s : f32
  }
  func.return %top : f32
}

// A short row is reduced in lanes too if it fills vectors.
// CHECK-LABEL: func.func @short(
// CHECK: memref.alloca() {alignment = 64 : i64} : memref<32xf32>
// CHECK: scf.for %i = %c0 to %c32 step %c32 {
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1 {
// CHECK: func.return
func.func @short(%A: memref<48xf32>, %low: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c48 = arith.constant 48 : index
  %sum = scf.for %i = %c0 to %c48 step %c1 iter_args(%acc = %low) -> (f32) {
    %x = memref.load %A[%i] : memref<48xf32>
    %s = arith.addf %x, %acc : f32
    scf.yield %s : f32
  }
  func.return %sum : f32
}

// Nothing to gain: a short row, elements that are not in a row, integers.
// CHECK-LABEL: func.func @as_they_were(
// CHECK-NOT: alloca
// CHECK: func.return
func.func @as_they_were(%n: index, %A: memref<?x?xf32>, %B: memref<?xi32>) -> (f32, f32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %short = scf.for %i = %c0 to %c20 step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %A[%c0, %i] : memref<?x?xf32>
    %s = arith.addf %acc, %x : f32
    scf.yield %s : f32
  }
  %column = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %A[%i, %c0] : memref<?x?xf32>
    %s = arith.addf %acc, %x : f32
    scf.yield %s : f32
  }
  %integers = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> (i32) {
    %x = memref.load %B[%i] : memref<?xi32>
    %s = arith.addi %acc, %x : i32
    scf.yield %s : i32
  }
  func.return %short, %column, %integers : f32, f32, i32
}

// The accumulator is read twice, a difference may not be reordered, a running sum is stored.
// CHECK-LABEL: func.func @in_order(
// CHECK-NOT: alloca
// CHECK: func.return
func.func @in_order(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %twice = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %A[%i] : memref<?xf32>
    %p = arith.mulf %acc, %x : f32
    %s = arith.addf %acc, %p : f32
    scf.yield %s : f32
  }
  %difference = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %A[%i] : memref<?xf32>
    %s = arith.subf %acc, %x : f32
    scf.yield %s : f32
  }
  %running = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %A[%i] : memref<?xf32>
    %s = arith.addf %acc, %x : f32
    memref.store %s, %B[%i] : memref<?xf32>
    scf.yield %s : f32
  }
  func.return %twice, %difference, %running : f32, f32, f32
}
