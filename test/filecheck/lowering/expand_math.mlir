// RUN: relax-opt %s -p relax-expand-math | filecheck %s

func.func @exp(%x: f32) -> f32 {
  %y = math.exp %x : f32
  func.return %y : f32
}
// CHECK:      func.func @exp(%x: f32) -> f32 {
// CHECK-NOT:    math.
// CHECK:        [[LOW:%.*]] = arith.maximumf %x, {{%.*}} : f32
// CHECK-NEXT:   [[IN:%.*]] = arith.minimumf [[LOW]], {{%.*}} : f32
// CHECK-NEXT:   [[SCALED:%.*]] = arith.mulf [[IN]], {{%.*}} : f32
// CHECK-NEXT:   [[SHIFTED:%.*]] = arith.addf [[SCALED]], [[ROUNDER:%.*]] : f32
// CHECK-NEXT:   [[N:%.*]] = arith.subf [[SHIFTED]], [[ROUNDER]] : f32
// CHECK:        arith.bitcast [[SHIFTED]] : f32 to i32
// CHECK:        arith.shrsi
// CHECK:        %y = arith.mulf
// CHECK-NEXT:   func.return %y : f32

// What is said not to be above 0 is clamped on one side, and its power is made in one piece.
func.func @exp_up_to_one(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp %x {relax.at_most_zero} : vector<8xf32>
  func.return %y : vector<8xf32>
}
// CHECK:      func.func @exp_up_to_one(
// CHECK-NOT:    arith.minimumf
// CHECK:        arith.shli
// CHECK-NOT:    arith.sh
// CHECK:        func.return %y

// One set of constants serves both; vectors as scalars.
func.func @tanh_twice(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.tanh %x : vector<8xf32>
  %z = math.tanh %y : vector<8xf32>
  func.return %z : vector<8xf32>
}
// CHECK:      func.func @tanh_twice(
// CHECK-COUNT-1: arith.constant dense<9.400000e+00> : vector<8xf32>
// CHECK-NOT:    arith.constant dense<9.400000e+00>
// CHECK:        arith.divf {{.*}} : vector<8xf32>
// CHECK-NEXT:   [[Y:%.*]] = arith.minimumf
// CHECK-NEXT:   %y = math.copysign [[Y]], %x
// CHECK:        arith.divf
// CHECK-NEXT:   [[Z:%.*]] = arith.minimumf
// CHECK-NEXT:   %z = math.copysign [[Z]], %y
// CHECK-NEXT:   func.return %z

// Odd functions are computed of |x|: what is cut off has one end, not two.
func.func @erf(%x: f32) -> f32 {
  %y = math.erf %x : f32
  func.return %y : f32
}
// CHECK:      func.func @erf(
// CHECK-NOT:    arith.maximumf
// CHECK:        %y = math.copysign {{%.*}}, %x : f32
// CHECK-NEXT:   func.return %y

func.func @rsqrt(%x: f64) -> f64 {
  %y = math.rsqrt %x : f64
  func.return %y : f64
}
// CHECK:      func.func @rsqrt(
// CHECK:        [[ONE:%.*]] = arith.constant 1.000000e+00 : f64
// CHECK-NEXT:   [[ROOT:%.*]] = math.sqrt %x : f64
// CHECK-NEXT:   %y = arith.divf [[ONE]], [[ROOT]] : f64
// CHECK-NEXT:   func.return %y : f64

// An angle of any size is reduced in f64, without a branch.
func.func @sin(%x: f32) -> f32 {
  %y = math.sin %x : f32
  func.return %y : f32
}
// CHECK:      func.func @sin(
// CHECK:        [[WIDE:%.*]] = arith.extf {{.*}} : f32 to f64
// CHECK:        math.fma {{.*}} : f64
// CHECK:        arith.trunci {{.*}} : i64 to i32
// CHECK:        arith.select
// CHECK-NOT:    math.sin
// CHECK:        func.return %y : f32

// Left as they are: libm computes these.
func.func @stays(%x: f64) -> (f64, f64) {
  %a = math.erf %x : f64
  %b = math.sin %x : f64
  func.return %a, %b : f64, f64
}
// CHECK:      func.func @stays(
// CHECK-NEXT:   %a = math.erf %x : f64
// CHECK-NEXT:   %b = math.sin %x : f64

// Where every angle of a loop is small, which a loop of its own finds out, less arithmetic does for f64.
func.func @angles(%n: index, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xf64>
    %b = arith.negf %a : f64
    %s = math.tan %b : f64
    memref.store %s, %y[%i] : memref<?xf64>
  }
  func.return
}
// CHECK:      func.func @angles(
// CHECK:        %unusual = scf.for [[I:%[0-9]+]] = %c0 to %n step %c1 iter_args([[ANY:%.*]] = [[ZERO:%.*]]) -> (i64) {
// CHECK-NEXT:     [[A:%.*]] = memref.load %x[[[I]]]
// CHECK-NEXT:     [[B:%.*]] = arith.negf [[A]] : f64
// CHECK-NEXT:     [[SIZE:%.*]] = math.absf [[B]] : f64
// CHECK-NEXT:     [[FAR:%.*]] = arith.cmpf oge, [[SIZE]], {{%.*}} : f64
// CHECK-NEXT:     [[FLAG:%.*]] = arith.extui [[FAR]] : i1 to i64
// CHECK-NEXT:     [[OR:%.*]] = arith.ori [[ANY]], [[FLAG]] : i64
// CHECK-NEXT:     scf.yield [[OR]] : i64
// CHECK:        [[NONE:%.*]] = arith.cmpi eq, %unusual, [[ZERO]] : i64
// CHECK-NEXT:   scf.if [[NONE]] {
// CHECK-NEXT:     scf.for %i
// CHECK-NOT:        math.tan
// CHECK:            math.fma
// CHECK-NOT:        math.tan
// CHECK:        } else {
// CHECK-NEXT:     scf.for %i
// CHECK:            math.tan

// So for powers of positive numbers that are normal, and have a normal power: no select is left.
func.func @powers(%n: index, %x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xf32>
    %b = memref.load %y[%i] : memref<?xf32>
    %p = math.powf %a, %b : f32
    memref.store %p, %z[%i] : memref<?xf32>
  }
  func.return
}
// CHECK:      func.func @powers(
// CHECK:        %unusual = scf.for
// CHECK:          [[FAR:%.*]] = arith.cmpf uge, {{%.*}}, {{%.*}} : f32
// CHECK-NEXT:     arith.extui [[FAR]] : i1 to i32
// CHECK:        scf.if
// CHECK-NEXT:     scf.for
// CHECK-NOT:        arith.select
// CHECK:        } else {
// CHECK:            arith.select
// CHECK-NOT:    math.powf
// CHECK:        func.return

// And for logarithms of normal positive numbers.
func.func @logarithms(%n: index, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %x[%i] : memref<?xf64>
    %l = math.log10 %a : f64
    memref.store %l, %y[%i] : memref<?xf64>
  }
  func.return
}
// CHECK:      func.func @logarithms(
// CHECK:        %unusual = scf.for
// CHECK:          [[FINITE:%.*]] = arith.cmpf olt, [[A:%.*]], {{%.*}} : f64
// CHECK-NEXT:     [[SIZE:%.*]] = arith.select [[FINITE]], [[A]], {{%.*}} : f64
// CHECK-NEXT:     arith.cmpf olt, [[SIZE]], {{%.*}} : f64
// CHECK:        scf.if
// CHECK-NEXT:     scf.for
// CHECK-NOT:        arith.select
// CHECK:        } else {
// CHECK:            arith.select
// CHECK:        func.return

// What exp(-|x|) gives is from 0 to 1: its log1p takes one division, and no choice.
func.func @softplus(%x: f32) -> f32 {
  %a = math.absf %x : f32
  %b = arith.negf %a : f32
  %c = math.exp %b : f32
  %y = math.log1p %c : f32
  func.return %y : f32
}
// CHECK:      func.func @softplus(
// CHECK-NOT:    arith.select
// CHECK:        arith.divf
// CHECK-NOT:    arith.divf
// CHECK-NOT:    arith.select
// CHECK:        func.return %y

// What the angles are read from must not be written.
func.func @recurrence(%n: index, %x: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c1 : index
    %a = memref.load %x[%i] : memref<?xf64>
    %s = math.sin %a : f64
    memref.store %s, %x[%j] : memref<?xf64>
  }
  func.return
}
// CHECK:      func.func @recurrence(
// CHECK-NOT:    scf.if
// CHECK:        math.sin
