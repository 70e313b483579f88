// RUN: relax-opt %s -p 'relax-emulate-unsupported-floats{cpu=generic}' | filecheck %s

// Each operation is rounded; a constant and a value read twice are widened once.
func.func @rounded(%x: f16, %y: f16) -> f16 {
  %two = arith.constant 2.0 : f16
  %s = arith.addf %x, %y : f16
  %t = arith.mulf %x, %two : f16
  %u = math.exp %t : f16
  %v = arith.subf %u, %s : f16
  func.return %v : f16
}
// CHECK:      func.func @rounded(%x: f16, %y: f16) -> f16 {
// CHECK-NEXT:   [[TWO:%.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT:   %x_wide = arith.extf %x : f16 to f32
// CHECK-NEXT:   %y_wide = arith.extf %y : f16 to f32
// CHECK-NEXT:   %s_wide = arith.addf %x_wide, %y_wide : f32
// CHECK-NEXT:   %s = arith.truncf %s_wide : f32 to f16
// CHECK-NEXT:   %t_wide = arith.mulf %x_wide, [[TWO]] : f32
// CHECK-NEXT:   %t = arith.truncf %t_wide : f32 to f16
// CHECK-NEXT:   [[T:%.*]] = arith.extf %t : f16 to f32
// CHECK-NEXT:   %u_wide = math.exp [[T]] fastmath<afn> : f32
// CHECK-NEXT:   %u = arith.truncf %u_wide : f32 to f16
// CHECK:        arith.subf {{.*}} : f32
// CHECK-NEXT:   %v = arith.truncf
// CHECK-NEXT:   func.return %v : f16

// Bits move as they are.
func.func @moved(%c: i1, %x: bf16, %y: bf16, %m: memref<4xbf16>, %i: index) -> i16 {
  %s = arith.select %c, %x, %y : bf16
  memref.store %s, %m[%i] : memref<4xbf16>
  %b = arith.bitcast %s : bf16 to i16
  func.return %b : i16
}
// CHECK:      func.func @moved(
// CHECK-NEXT:   %s = arith.select %c, %x, %y : bf16
// CHECK-NEXT:   memref.store %s, %m[%i] : memref<4xbf16>
// CHECK-NEXT:   %b = arith.bitcast %s : bf16 to i16
// CHECK-NEXT:   func.return

// Conversions go through f32, but that from f64 to f16, which would round twice.
func.func @converted(%d: f64, %h: f16, %i: i32) -> (f16, bf16, f64, bf16, i8, i1) {
  %a = arith.truncf %d : f64 to f16
  %b = arith.truncf %d : f64 to bf16
  %c = arith.extf %h : f16 to f64
  %e = arith.sitofp %i : i32 to bf16
  %f = arith.fptosi %h : f16 to i8
  %g = arith.cmpf olt, %h, %a : f16
  func.return %a, %b, %c, %e, %f, %g : f16, bf16, f64, bf16, i8, i1
}
// CHECK:      func.func @converted(
// CHECK-NEXT:   %a = arith.truncf %d : f64 to f16
// CHECK-NEXT:   %b_wide = arith.truncf %d : f64 to f32
// CHECK-NEXT:   %b = arith.truncf %b_wide : f32 to bf16
// CHECK-NEXT:   %h_wide = arith.extf %h : f16 to f32
// CHECK-NEXT:   %c = arith.extf %h_wide : f32 to f64
// CHECK-NEXT:   %e_wide = arith.sitofp %i : i32 to f32
// CHECK-NEXT:   %e = arith.truncf %e_wide : f32 to bf16
// CHECK-NEXT:   %f = arith.fptosi %h_wide : f32 to i8
// CHECK-NEXT:   %a_wide = arith.extf %a : f16 to f32
// CHECK-NEXT:   %g = arith.cmpf olt, %h_wide, %a_wide : f32

// Signs are bits.
func.func @signs(%x: f16, %v: vector<4xbf16>) -> (f16, vector<4xbf16>) {
  %a = math.absf %x : f16
  %b = arith.negf %v : vector<4xbf16>
  func.return %a, %b : f16, vector<4xbf16>
}
// CHECK:      func.func @signs(
// CHECK:        [[MASK:%.*]] = arith.constant 32767 : i16
// CHECK:        [[SIGN:%.*]] = arith.constant dense<-32768> : vector<4xi16>
// CHECK-NEXT:   [[A:%.*]] = arith.bitcast %x : f16 to i16
// CHECK-NEXT:   [[B:%.*]] = arith.andi [[A]], [[MASK]] : i16
// CHECK-NEXT:   %a = arith.bitcast [[B]] : i16 to f16
// CHECK-NEXT:   [[C:%.*]] = arith.bitcast %v : vector<4xbf16> to vector<4xi16>
// CHECK-NEXT:   [[D:%.*]] = arith.xori [[C]], [[SIGN]] : vector<4xi16>
// CHECK-NEXT:   %b = arith.bitcast [[D]] : vector<4xi16> to vector<4xbf16>

// A row of f16 is widened before what is computed, and rounded after it.
func.func @row(%i: index, %n: index, %x: memref<?x?xf16>, %y: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %j = %c0 to %n step %c1 {
    %a = memref.load %x[%i, %j] : memref<?x?xf16>
    %b = math.exp %a : f16
    memref.store %b, %y[%i, %j] : memref<?x?xf16>
  }
  func.return
}
// CHECK:      func.func @row(
// CHECK:        %row = memref.alloca() {alignment = 64 : i64} : memref<1024xf32>
// CHECK:        scf.for %start = %c0 to %n step %c1024 {
// CHECK:          %count = arith.minsi {{%.*}}, %c1024 : index
// CHECK-NEXT:     scf.for %l = %c0 to %count step %c1 {
// CHECK-NEXT:       [[AT:%.*]] = arith.addi %start, %l : index
// CHECK-NEXT:       [[A:%.*]] = memref.load %x[%i, [[AT]]] : memref<?x?xf16>
// CHECK-NEXT:       [[B:%.*]] = arith.extf [[A]] : f16 to f32
// CHECK-NEXT:       memref.store [[B]], [[WIDE:%.*]][%l] : memref<1024xf32>
// CHECK-NEXT:     }
// CHECK:            [[C:%.*]] = memref.load [[WIDE]][%l
// CHECK-NEXT:       [[D:%.*]] = math.exp [[C]] fastmath<afn> : f32
// CHECK-NEXT:       memref.store [[D]], [[RESULT:%.*]][%l
// CHECK-NEXT:     }
// CHECK:            [[E:%.*]] = memref.load [[RESULT]][%l
// CHECK-NEXT:       [[F:%.*]] = arith.truncf [[E]] : f32 to f16
// CHECK-NEXT:       memref.store [[F]], %y[%i, {{%.*}}] : memref<?x?xf16>
