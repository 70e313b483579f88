// RUN: relax-opt %s -p relax-parallelize-loops | filecheck %s

// Rows with a buffer of their own; the cost depends on the rows.

// CHECK:       func.func private @rows(%n: index {relax.symbol = "n"}
// CHECK-NOT:     alloca
// CHECK:         func.call @rows_loop(%c0, %n, %n, %x, %out) {relax.parallel = {step = 1 : i64, cost = "12288 * min(n, 4096)"}}
// CHECK-NEXT:    func.return
// CHECK:       func.func private @rows_loop(%first: index, %last: index, %n: index {relax.symbol = "n"}, %x: memref<?x1024xf32> {relax.dims = ["n", "1024"]}, %out: memref<?x1024xf32> {relax.dims = ["n", "1024"], relax.result}) {
// CHECK:         %row = memref.alloca() : memref<1024xf32>
// CHECK:         scf.for %i = %first to %last step %{{.*}} {
// CHECK:         } {relax.parallel}
// CHECK-NEXT:    func.return
func.func private @rows(%n: index {relax.symbol = "n"}, %x: memref<?x1024xf32> {relax.dims = ["n", "1024"]},
    %out: memref<?x1024xf32> {relax.dims = ["n", "1024"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %row = memref.alloca() : memref<1024xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c1024 step %c1 {
      %a = memref.load %x[%i, %j] : memref<?x1024xf32>
      %b = arith.mulf %a, %a : f32
      %c = arith.addf %b, %b : f32
      %d = arith.addf %c, %a : f32
      %e = arith.mulf %d, %a : f32
      %f = arith.mulf %e, %a : f32
      %g = arith.mulf %f, %a : f32
      %h = arith.mulf %g, %a : f32
      memref.store %h, %row[%j] : memref<1024xf32>
    }
    scf.for %j = %c0 to %c1024 step %c1 {
      %a = memref.load %row[%j] : memref<1024xf32>
      %b = arith.mulf %a, %a : f32
      memref.store %b, %out[%i, %j] : memref<?x1024xf32>
    }
  } {relax.parallel}
  func.return
}

// A buffer whose border was written before the loop: each range begins with a copy.

// CHECK:       func.func private @border(
// CHECK:         func.call @border_loop(%c0, %c64, %local, %out) {relax.parallel = {step = 1 : i64}}
// CHECK:       func.func private @border_loop(%first: index, %last: index, %local: memref<1026xf32> {relax.dims = ["1026"]}, %out
// CHECK-NEXT:    %[[own:.*]] = memref.alloca() : memref<1026xf32>
// CHECK-NEXT:    memref.copy %local, %[[own]] : memref<1026xf32> to memref<1026xf32>
func.func private @border(%out: memref<64x1024xf32> {relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %zero = arith.constant 0.0 : f32
  %local = memref.alloca() : memref<1026xf32>
  memref.store %zero, %local[%c0] : memref<1026xf32>
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %j = %c0 to %c1024 step %c1 {
      %k = arith.addi %j, %c1 : index
      %v = arith.index_cast %k : index to i32
      %w = arith.sitofp %v : i32 to f32
      memref.store %w, %local[%k] : memref<1026xf32>
    }
    scf.for %j = %c0 to %c1024 step %c1 {
      %v = memref.load %local[%j] : memref<1026xf32>
      memref.store %v, %out[%i, %j] : memref<64x1024xf32>
    }
  } {relax.parallel}
  func.return
}

// The parallel loops of other tools.

// CHECK:       func.func @other(
// CHECK:         func.call @other_loop(%{{.*}}, %{{.*}}, %x) {relax.parallel = {step = 1 : i64}}
// CHECK:       func.func private @other_loop(
func.func @other(%x: memref<256x256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c256, %c256) step (%c1, %c1) {
    %a = memref.load %x[%i, %j] : memref<256x256xf32>
    %b = math.exp %a : f32
    memref.store %b, %x[%i, %j] : memref<256x256xf32>
    scf.reduce
  }
  func.return
}

// Nothing: little work, loops that are not marked, iterations that write what others write, values that are
// carried, functions from outside.

// CHECK-NOT:   func.call @{{.*}}_loop(
// CHECK:       func.call @outside
func.func private @outside(memref<4096x64xf32>, index)
func.func private @stay(%x: memref<4096x64xf32>, %small: memref<16xf32> {relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c16 step %c1 {
    memref.store %zero, %small[%i] : memref<16xf32>
  } {relax.parallel}
  scf.for %i = %c0 to %c4096 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      memref.store %zero, %x[%i, %j] : memref<4096x64xf32>
    }
  }
  scf.for %i = %c0 to %c4096 step %c1 {
    %h = arith.divui %i, %c2 : index
    scf.for %j = %c0 to %c64 step %c1 {
      memref.store %zero, %x[%h, %j] : memref<4096x64xf32>
    }
  } {relax.parallel}
  %sum = scf.for %i = %c0 to %c4096 step %c1 iter_args(%s = %zero) -> (f32) {
    %a = memref.load %x[%i, %c0] : memref<4096x64xf32>
    %t = arith.addf %s, %a : f32
    scf.yield %t : f32
  } {relax.parallel}
  scf.for %i = %c0 to %c4096 step %c1 {
    func.call @outside(%x, %i) : (memref<4096x64xf32>, index) -> ()
  } {relax.parallel}
  func.return
}
