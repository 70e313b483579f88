// RUN: relax-opt %s -p relax-split-divisions | filecheck %s

// A piece ends where the quotient changes; within it the remainder goes up by one.

// CHECK-LABEL: func.func @tile(
// CHECK:         %{{.*}} = scf.while (%start = %c0) : (index) -> index {
// CHECK-NEXT:      %[[MORE:.*]] = arith.cmpi slt, %start, %n : index
// CHECK-NEXT:      scf.condition(%[[MORE]]) %start : index
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%start_1: index):
// CHECK:           %[[LENGTH:.*]] = arith.select %{{.*}}, %{{.*}}, %c1 : index
// CHECK-NEXT:      %[[FIRST:.*]] = arith.remsi %start_1, %{{.*}} : index
// CHECK-NEXT:      %[[END:.*]] = arith.addi %start_1, %[[LENGTH]] : index
// CHECK-NEXT:      %stop = arith.minsi %n, %[[END]] : index
// CHECK-NEXT:      scf.for %i = %start_1 to %stop step %c1 {
// CHECK-NEXT:        %[[STEPS:.*]] = arith.subi %i, %start_1 : index
// CHECK-NEXT:        %r = arith.addi %[[STEPS]], %[[FIRST]] : index
// CHECK-NEXT:        %v = memref.load %x[%r] : memref<?xf32>
// CHECK-NEXT:        memref.store %v, %y[%i] : memref<?xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %stop : index
func.func @tile(%n: index, %d: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %r = arith.remsi %i, %d : index
    %v = memref.load %x[%r] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  func.return
}

// Small constants make blocks as long as they are, and a last one that is not full. What grows by the same
// amount is carried only where the divisor is known not to be negative; what is read in order stays.

// CHECK-LABEL: func.func @blocks(
// CHECK-NOT:     scf.while
// CHECK:         %third = arith.floordivsi %n, %c3 : index
// CHECK-NEXT:    %[[DONE:.*]] = arith.muli %third, %c3 : index
// CHECK-NEXT:    %[[REST:.*]] = arith.subi %n, %[[DONE]] : index
// CHECK-NEXT:    scf.for %block = %c0 to %third step %c1 {
// CHECK-NEXT:      %[[START:.*]] = arith.muli %block, %c3 : index
// CHECK-NEXT:      scf.for %step = %c0 to %c3 step %c1 {
// CHECK-NEXT:        %i = arith.addi %[[START]], %step : index
// CHECK-NEXT:        %double = arith.muli %i, %c3 : index
// CHECK-NEXT:        %far = arith.remsi %double, %d : index
// CHECK-NEXT:        %row = arith.divsi %i, %d : index
// CHECK-NEXT:        %column = arith.remsi %i, %d : index
// CHECK-NEXT:        %u = memref.load %x[%block] : memref<?xf32>
// CHECK:         scf.for %step_1 = %c0 to %[[REST]] step %c1 {
// CHECK-NEXT:      %i_1 = arith.addi %[[DONE]], %step_1 : index
// CHECK:           %u_1 = memref.load %x[%third] : memref<?xf32>
func.func @blocks(%n: index, %d: index, %x: memref<?xf32>, %z: memref<?x?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %n step %c1 {
    %third = arith.floordivsi %i, %c3 : index
    %double = arith.muli %i, %c3 : index
    %far = arith.remsi %double, %d : index
    %row = arith.divsi %i, %d : index
    %column = arith.remsi %i, %d : index
    %u = memref.load %x[%third] : memref<?xf32>
    %v = memref.load %x[%far] : memref<?xf32>
    %w = memref.load %z[%row, %column] : memref<?x?xf32>
    %s = arith.addf %u, %v : f32
    %t = arith.addf %s, %w : f32
    memref.store %t, %y[%i] : memref<?xf32>
  }
  func.return
}

// The block is as long as all divisors need it, and the counts of a quotient in it are compared: with 2 and
// 3 there are blocks of 6.

// CHECK-LABEL: func.func @two_divisors(
// CHECK:         scf.for %block = %c0 to %{{.*}} step %c1 {
// CHECK:           scf.for %step = %c0 to %c6 step %c1 {
// CHECK-NOT:         divsi
// CHECK:             arith.cmpi sge, %step, %c2 : index
// CHECK:             arith.cmpi sge, %step, %c4 : index
// CHECK:             arith.cmpi sge, %step, %c3 : index
// CHECK-NOT:         divsi
// CHECK:         func.return
func.func @two_divisors(%n: index {relax.symbol = "n"}, %x: memref<?xf32>, %y: memref<?xf32> {relax.dims = ["6 * n"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %size = memref.dim %y, %c0 : memref<?xf32>
  scf.for %i = %c0 to %size step %c1 {
    %half = arith.divsi %i, %c2 : index
    %third = arith.divsi %i, %c3 : index
    %place = arith.addi %half, %third : index
    %v = memref.load %x[%place] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  func.return
}

// What grows by the same amount at every turn is carried on.

// CHECK-LABEL: func.func @resized(
// CHECK:         scf.for %i = %c0 to %n step %c1 iter_args(%quotient = %c0, %rest = %c0) -> (index, index) {
// CHECK-NEXT:      %v = memref.load %x[%quotient] : memref<?xf32>
// CHECK-NEXT:      memref.store %v, %y[%i] : memref<?xf32>
// CHECK-NEXT:      %[[SUM:.*]] = arith.addi %rest, %{{.*}} : index
// CHECK-NEXT:      %[[OVER:.*]] = arith.cmpi sge, %[[SUM]], %{{.*}} : index
// CHECK-NOT:       div
// CHECK:           scf.yield
func.func @resized(%n: index {relax.symbol = "n"}, %h: index {relax.symbol = "h"}, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %far = arith.muli %i, %h : index
    %place = arith.divsi %far, %n : index
    %v = memref.load %x[%place] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  func.return
}

// Digits of a number are joined if the divisors are the memref's sizes, and only then.

// CHECK-LABEL: func.func @digits(
// CHECK:         %x_row = memref.collapse_shape %x {{.*}} : memref<?x?x3xf32> into memref<?xf32>
// CHECK-NOT:     memref.collapse_shape
// CHECK:         %v = memref.load %x_row[%i] : memref<?xf32>
// CHECK:         memref.load %z[%{{.*}}, %{{.*}}, %{{.*}}] : memref<?x?x4xf32>
func.func @digits(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"},
    %x: memref<?x?x3xf32> {relax.dims = ["n", "m", "3"]}, %z: memref<?x?x4xf32> {relax.dims = ["n", "m", "4"]},
    %y: memref<?xf32> {relax.dims = ["3 * m * n"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %size = memref.dim %y, %c0 : memref<?xf32>
  %plane = arith.muli %m, %c3 : index
  scf.for %i = %c0 to %size step %c1 {
    %a = arith.divsi %i, %plane : index
    %rows = arith.divsi %i, %c3 : index
    %b = arith.remsi %rows, %m : index
    %c = arith.remsi %i, %c3 : index
    %v = memref.load %x[%a, %b, %c] : memref<?x?x3xf32>
    %w = memref.load %z[%a, %b, %c] : memref<?x?x4xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %y[%i] : memref<?xf32>
  }
  func.return
}

// What the innermost loop does not change is divided in front of it, and never by zero, which gives zero.

// CHECK-LABEL: func.func @hoisted(
// CHECK:         scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:      %[[ZERO:.*]] = arith.cmpi eq, %d, %c0 : index
// CHECK-NEXT:      %[[SAFE:.*]] = arith.select %[[ZERO]], %c1, %d : index
// CHECK-NEXT:      %group = arith.divsi %i, %[[SAFE]] : index
// CHECK-NEXT:      %[[GROUP:.*]] = arith.select %[[ZERO]], %c0, %group : index
// CHECK-NEXT:      scf.for %j = %c0 to %n step %c1 {
// CHECK-NEXT:        %v = memref.load %x[%[[GROUP]], %j] : memref<?x?xf32>
func.func @hoisted(%n: index, %d: index, %x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %group = arith.divsi %i, %d : index
      %v = memref.load %x[%group, %j] : memref<?x?xf32>
      memref.store %v, %y[%i, %j] : memref<?x?xf32>
    }
  }
  func.return
}
