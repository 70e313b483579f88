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

// Small constants, dividends that are no sum with the counter, and what is read in order anyway stay.

// CHECK-LABEL: func.func @left_alone(
// CHECK-NOT:     scf.while
// CHECK:         func.return
func.func @left_alone(%n: index, %d: index, %x: memref<?xf32>, %z: memref<?x?xf32>, %y: memref<?xf32>) {
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
