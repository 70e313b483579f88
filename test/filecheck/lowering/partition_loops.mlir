// RUN: relax-opt %s --split-input-file -p relax-linalg-to-loops | filecheck %s

// Three pieces in a row: each is copied by a loop of its own, whose ends are known to lie in order.

// CHECK:       func.func private @concat
// CHECK-NOT:     scf.if
// CHECK:         scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:      memref.load %a
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %[[J:.*]] = %n to %two step %c1 {
// CHECK-NEXT:      arith.subi %[[J]], %n
// CHECK-NEXT:      memref.load %b
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %[[K:.*]] = %two to %{{.*}} step %c1 {
// CHECK-NEXT:      arith.subi %[[K]], %two
// CHECK-NEXT:      memref.load %c
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func private @concat(%n: index {relax.symbol = "n"}, %a: memref<?xf32> {relax.dims = ["n"]}, %b: memref<?xf32> {relax.dims = ["n"]}, %c: memref<?xf32> {relax.dims = ["n"]}, %out: memref<?xf32> {relax.dims = ["3 * n"], relax.result}) {
  %c2 = arith.constant 2 : index
  %two = arith.muli %n, %c2 : index
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%out : memref<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %first = arith.cmpi slt, %i, %n : index
    %v = scf.if %first -> (f32) {
      %x = memref.load %a[%i] : memref<?xf32>
      scf.yield %x : f32
    } else {
      %second = arith.cmpi slt, %i, %two : index
      %w = scf.if %second -> (f32) {
        %k = arith.subi %i, %n : index
        %y = memref.load %b[%k] : memref<?xf32>
        scf.yield %y : f32
      } else {
        %k = arith.subi %i, %two : index
        %z = memref.load %c[%k] : memref<?xf32>
        scf.yield %z : f32
      }
      scf.yield %w : f32
    }
    linalg.yield %v : f32
  }
  func.return
}

// -----

// Two branches ask the same. Where a bound may lie outside of the loop, that is asked once.

// CHECK:       func.func private @rows
// CHECK:         %[[END:.*]] = arith.minsi %n, %m : index
// CHECK-NEXT:    scf.for %{{.*}} = %c0 to %[[END]] step %c1 {
// CHECK-NEXT:      arith.addf %one, %one
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %{{.*}} = %[[END]] to %m step %c1 {
// CHECK-NEXT:      arith.addf %two, %two
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func private @rows(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"}, %out: memref<?xf32> {relax.dims = ["m"], relax.result}) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%out : memref<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %below = arith.cmpi slt, %i, %n : index
    %v = scf.if %below -> (f32) {
      scf.yield %one : f32
    } else {
      scf.yield %two : f32
    }
    %again = arith.cmpi slt, %i, %n : index
    %w = scf.if %again -> (f32) {
      scf.yield %one : f32
    } else {
      scf.yield %two : f32
    }
    %s = arith.addf %v, %w : f32
    linalg.yield %s : f32
  }
  func.return
}

// -----

// A bound that every turn reads anew, and a sum that is carried: nothing is cut.

// CHECK:       func.func private @kept
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:         scf.for
// CHECK:           scf.if
func.func private @kept(%x: memref<8xf32> {relax.dims = ["8"]}, %k: memref<8xindex> {relax.dims = ["8"]}, %s: memref<f32> {relax.dims = []}, %out: memref<8xf32> {relax.dims = ["8"], relax.result}) {
  %zero = arith.constant 0.0 : f32
  %c4 = arith.constant 4 : index
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%k : memref<8xindex>) outs(%out : memref<8xf32>) {
  ^bb0(%bound: index, %o: f32):
    %i = linalg.index 0 : index
    %below = arith.cmpi slt, %i, %bound : index
    %v = scf.if %below -> (f32) {
      %y = memref.load %x[%i] : memref<8xf32>
      scf.yield %y : f32
    } else {
      scf.yield %zero : f32
    }
    linalg.yield %v : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%x : memref<8xf32>) outs(%s : memref<f32>) {
  ^bb0(%y: f32, %acc: f32):
    %i = linalg.index 0 : index
    %below = arith.cmpi slt, %i, %c4 : index
    %v = scf.if %below -> (f32) {
      %t = arith.addf %acc, %y : f32
      scf.yield %t : f32
    } else {
      scf.yield %acc : f32
    }
    linalg.yield %v : f32
  }
  func.return
}
