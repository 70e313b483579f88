// RUN: relax-opt %s -p 'relax-split-reductions{cpu=x86-64-v4}' | filecheck %s

// Booleans are counted in i16, block by block.
// CHECK-LABEL: func.func @count(
// CHECK: %zero = arith.constant 0 : i64
// CHECK: %[[none:.*]] = arith.constant 0 : i16
// CHECK: %sum = scf.for %block = %c0 to %n step %c32512 iter_args(%[[total:.*]] = %zero) -> (i64) {
// CHECK-NEXT: %left = arith.subi %n, %block : index
// CHECK-NEXT: %count = arith.minsi %left, %c32512 : index
// CHECK-NEXT: %stop = arith.addi %block, %count : index
// CHECK-NEXT: %[[narrow:.*]] = scf.for %i = %block to %stop step %c1 iter_args(%[[acc:.*]] = %[[none]]) -> (i16) {
// CHECK-NEXT: %x = memref.load %A[%i] : memref<?xi1>
// CHECK-NEXT: %one = arith.extui %x : i1 to i64
// CHECK-NEXT: %[[element:.*]] = arith.trunci %one : i64 to i16
// CHECK-NEXT: %[[s:.*]] = arith.addi %[[acc]], %[[element]] : i16
// CHECK-NEXT: scf.yield %[[s]] : i16
// CHECK-NEXT: }
// CHECK-NEXT: %part = arith.extsi %[[narrow]] : i16 to i64
// CHECK-NEXT: %[[more:.*]] = arith.addi %[[total]], %part : i64
// CHECK-NEXT: scf.yield %[[more]] : i64
// CHECK-NEXT: }
// CHECK-NEXT: func.return %sum : i64
func.func @count(%n: index, %A: memref<?xi1>) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i64) {
    %x = memref.load %A[%i] : memref<?xi1>
    %one = arith.extui %x : i1 to i64
    %s = arith.addi %acc, %one : i64
    scf.yield %s : i64
  }
  func.return %sum : i64
}

// A known number of elements that is not above a block's needs no blocks; the type and the length are
// those of the greatest magnitude, and the addend may stand on the left.
// CHECK-LABEL: func.func @known(
// CHECK-NOT: step %c16776960
// CHECK: %[[narrow:.*]] = scf.for %i = %c0 to %c1000 step %c1 iter_args(%{{.*}} = %{{.*}}) -> (i32) {
// CHECK: arith.trunci %wide : i64 to i32
// CHECK: }
// CHECK-NEXT: %part = arith.extsi %[[narrow]] : i32 to i64
// CHECK-NEXT: %sum = arith.addi %start, %part : i64
func.func @known(%A: memref<1000xi8>, %start: i64) -> i64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %sum = scf.for %i = %c0 to %c1000 step %c1 iter_args(%acc = %start) -> (i64) {
    %x = memref.load %A[%i] : memref<1000xi8>
    %wide = arith.extsi %x : i8 to i64
    %s = arith.addi %wide, %acc : i64
    scf.yield %s : i64
  }
  func.return %sum : i64
}

// The greatest of ones and zeros is known once it is one.
// CHECK-LABEL: func.func @any(
// CHECK: scf.for %block = %c0 to %n step %c4096 iter_args(%[[sofar:.*]] = %low) -> (i8) {
// CHECK: %reached = arith.cmpi sge, %[[sofar]], %[[one:.*]] : i8
// CHECK-NEXT: %[[next:.*]] = scf.if %reached -> (i8) {
// CHECK-NEXT: scf.yield %[[sofar]] : i8
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.for %i = %block to %stop step %c1 iter_args(%acc = %[[sofar]]) -> (i8) {
// CHECK: arith.maxsi
// CHECK: scf.yield %[[next]] : i8
func.func @any(%n: index, %A: memref<?xi1>) -> i8 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant -128 : i8
  %any = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %low) -> (i8) {
    %x = memref.load %A[%i] : memref<?xi1>
    %one = arith.extui %x : i1 to i8
    %s = arith.maxsi %acc, %one : i8
    scf.yield %s : i8
  }
  func.return %any : i8
}

// Rows go on where the last one ended: a look before each, and no blocks, since a row is short.
// CHECK-LABEL: func.func @all(
// CHECK: scf.for %i = %c0 to %n step %c1 iter_args(%[[sofar:.*]] = %high) -> (i8) {
// CHECK-NEXT: %reached = arith.cmpi ule, %[[sofar]], %{{.*}} : i8
// CHECK-NEXT: scf.if %reached -> (i8) {
// CHECK: scf.for %j = %c0 to %c1000 step %c1 iter_args(%acc{{.*}} = %[[sofar]]) -> (i8) {
func.func @all(%n: index, %A: memref<?x1000xi1>) -> i8 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %high = arith.constant 127 : i8
  %all = scf.for %i = %c0 to %n step %c1 iter_args(%before = %high) -> (i8) {
    %row = scf.for %j = %c0 to %c1000 step %c1 iter_args(%acc = %before) -> (i8) {
      %x = memref.load %A[%i, %j] : memref<?x1000xi1>
      %one = arith.extui %x : i1 to i8
      %s = arith.minui %acc, %one : i8
      scf.yield %s : i8
    }
    scf.yield %row : i8
  }
  func.return %all : i8
}

// Nothing is known of the elements, a block would be too short (128 of 255s in i16),
// one of the sums needs the wide type, the loop is short, what is added is used twice.
// CHECK-LABEL: func.func @as_they_were(
// CHECK-NOT: trunci
// CHECK-NOT: %block
// CHECK: func.return
func.func @as_they_were(%n: index, %A: memref<?xi64>, %B: memref<?xi8>, %C: memref<?xi1>)
    -> (i64, i32, i64, i64, i64, i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %none = arith.constant 0 : i32
  %zero = arith.constant 0 : i64
  %unknown = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i64) {
    %x = memref.load %A[%i] : memref<?xi64>
    %s = arith.addi %acc, %x : i64
    scf.yield %s : i64
  }
  %bytes = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> (i32) {
    %x = memref.load %B[%i] : memref<?xi8>
    %wide = arith.extui %x : i8 to i32
    %s = arith.addi %acc, %wide : i32
    scf.yield %s : i32
  }
  %count, %both = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %acc2 = %zero) -> (i64, i64) {
    %x = memref.load %C[%i] : memref<?xi1>
    %one = arith.extui %x : i1 to i64
    %s = arith.addi %acc, %one : i64
    %y = memref.load %A[%i] : memref<?xi64>
    %t = arith.addi %acc2, %y : i64
    scf.yield %s, %t : i64, i64
  }
  %short = scf.for %i = %c0 to %c100 step %c1 iter_args(%acc = %zero) -> (i64) {
    %x = memref.load %C[%i] : memref<?xi1>
    %one = arith.extui %x : i1 to i64
    %s = arith.addi %acc, %one : i64
    scf.yield %s : i64
  }
  %running = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (i64) {
    %x = memref.load %C[%i] : memref<?xi1>
    %one = arith.extui %x : i1 to i64
    %s = arith.addi %acc, %one : i64
    memref.store %s, %A[%i] : memref<?xi64>
    scf.yield %s : i64
  }
  func.return %unknown, %bytes, %count, %both, %short, %running : i64, i32, i64, i64, i64, i64
}

// An extreme may not end early where its loop writes, cannot where its rows start anew, and hardly ever
// does where it is one of many values.
// CHECK-LABEL: func.func @to_the_end(
// CHECK-NOT: scf.if
// CHECK: func.return
func.func @to_the_end(%n: index, %A: memref<?x1000xi1>, %B: memref<?xi8>) -> (i8, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %low = arith.constant 0 : i8
  %none = arith.constant 0 : i32
  %written = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %low) -> (i8) {
    %x = memref.load %A[%c0, %i] : memref<?x1000xi1>
    %one = arith.extui %x : i1 to i8
    memref.store %one, %B[%i] : memref<?xi8>
    %s = arith.maxsi %acc, %one : i8
    scf.yield %s : i8
  }
  scf.for %i = %c0 to %n step %c1 {
    %row = scf.for %j = %c0 to %c1000 step %c1 iter_args(%acc = %low) -> (i8) {
      %x = memref.load %A[%i, %j] : memref<?x1000xi1>
      %one = arith.extui %x : i1 to i8
      %s = arith.maxsi %acc, %one : i8
      scf.yield %s : i8
    }
    memref.store %row, %B[%i] : memref<?xi8>
  }
  %top = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %none) -> (i32) {
    %x = memref.load %B[%i] : memref<?xi8>
    %wide = arith.extsi %x : i8 to i32
    %s = arith.maxsi %acc, %wide : i32
    scf.yield %s : i32
  }
  func.return %written, %top : i8, i32
}
