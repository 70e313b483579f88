// RUN: relax-opt %s -p 'relax-block-sums{cpu=x86-64-v4}' | filecheck %s

// A long sum begins anew after each block, which is added to a total in f64. A loop that is to be reduced in 64 lanes
// has blocks of 64 times as many terms.
// CHECK-LABEL: func.func @sum(
// CHECK: %totals = memref.alloca() {alignment = 64 : i64} : memref<1xf64>
// CHECK: %long = arith.cmpi sgt, %n, %c8192 : index
// CHECK-NEXT: memref.store %{{.*}}, %totals[%c0] : memref<1xf64>
// CHECK: scf.for %block = %c0 to %n step %c8192 iter_args(%[[acc:.*]] = %zero) -> (f32) {
// CHECK-NEXT: %left = arith.subi %n, %block : index
// CHECK-NEXT: %span = arith.minsi %left, %c8192 : index
// CHECK-NEXT: %[[part:.*]] = scf.for %{{.*}} = %c0 to %span step %c1 iter_args(%{{.*}} = %[[acc]]) -> (f32) {
// CHECK: scf.if %long -> (f32) {
// CHECK-NEXT: memref.store %[[part]], %parts[%c0] : memref<1xf32>
// CHECK: arith.addf %total, %{{.*}} : f64
// CHECK: scf.yield %{{.*}} : f32
// CHECK: %{{.*}} = scf.if %long -> (f32) {
// CHECK: arith.truncf %total{{.*}} : f64 to f32
func.func @sum(%n: index, %A: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %A[%i] : memref<?xf32>
    %next = arith.addf %acc, %x : f32
    scf.yield %next : f32
  }
  func.return %s : f32
}

// Neither a sum that is known to be short, nor one whose partial sums are used, nor another reduction is changed.
// CHECK-LABEL: func.func @others(
// CHECK-NOT: f64
// CHECK: func.return
func.func @others(%n: index, %A: memref<?xf32>, %B: memref<?xf32>) -> (f32, f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  %short = scf.for %i = %c0 to %c100 step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %A[%i] : memref<?xf32>
    %next = arith.addf %acc, %x : f32
    scf.yield %next : f32
  }
  %left = arith.remui %n, %c16 : index
  %main = arith.subi %n, %left : index
  %rest = scf.for %i = %main to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %A[%i] : memref<?xf32>
    %next = arith.addf %acc, %x : f32
    scf.yield %next : f32
  }
  %running = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %A[%i] : memref<?xf32>
    %next = arith.addf %acc, %x : f32
    memref.store %next, %B[%i] : memref<?xf32>
    scf.yield %next : f32
  }
  %product = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %A[%i] : memref<?xf32>
    %next = arith.mulf %acc, %x : f32
    scf.yield %next : f32
  }
  func.return %short, %rest, %running, %product : f32, f32, f32, f32
}

// In a nest, sums are spilled before a block that would give them too many terms.
// CHECK-LABEL: func.func @nest(
// CHECK: scf.for %{{.*}} = %c0 to %m step %c1 iter_args(%{{.*}} = %zero, %{{.*}} = %c0, %{{.*}} = %{{.*}}) -> (f32, index, i1) {
// CHECK-NEXT: scf.for %block = %c0 to %n step %c128 iter_args({{.*}}) -> (f32, index, i1) {
// CHECK: %due = arith.cmpi ugt, %{{.*}}, %c128 : index
// CHECK: scf.if %due -> (f32, index, i1) {
func.func @nest(%m: index, %n: index, %A: memref<?x?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %m step %c1 iter_args(%acc = %zero) -> (f32) {
    %t = scf.for %j = %c0 to %n step %c1 iter_args(%a = %acc) -> (f32) {
      %x = memref.load %A[%j, %i] : memref<?x?xf32>
      %next = arith.addf %a, %x : f32
      scf.yield %next : f32
    }
    scf.yield %t : f32
  }
  func.return %s : f32
}

// The terms that an outer loop adds itself count too: the inner loop may be empty in every iteration.
// CHECK-LABEL: func.func @own_terms(
// CHECK: scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %[[count:.*]] = %c0, %[[spilled:.*]] = %{{.*}}) -> (f32, index, i1) {
// CHECK-NEXT: %[[more:.*]] = arith.addi %[[count]], %c1 : index
// CHECK-NEXT: %[[due:.*]] = arith.cmpi ugt, %[[more]], %c128 : index
// CHECK-NEXT: %[[begun:.*]], %[[terms:.*]], %{{.*}} = scf.if %[[due]] -> (f32, index, i1) {
// CHECK: scf.yield %acc, %[[more]], %[[spilled]] : f32, index, i1
// CHECK: %next = arith.addf %[[begun]], %x : f32
// CHECK: scf.for %block = %c0 to %m step %c8192 iter_args(%{{.*}} = %next, %{{.*}} = %[[terms]]
func.func @own_terms(%n: index, %m: index, %A: memref<?xf32>, %B: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
    %x = memref.load %A[%i] : memref<?xf32>
    %next = arith.addf %acc, %x : f32
    %own = scf.for %j = %c0 to %m step %c1 iter_args(%inner = %next) -> (f32) {
      %y = memref.load %B[%j] : memref<?xf32>
      %more = arith.addf %inner, %y : f32
      scf.yield %more : f32
    }
    scf.yield %own : f32
  }
  func.return %s : f32
}
