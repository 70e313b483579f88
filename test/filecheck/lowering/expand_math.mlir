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
// CHECK-NEXT:   arith.maximumf
// CHECK-NEXT:   %y = arith.minimumf
// CHECK:        arith.divf
// CHECK-NEXT:   arith.maximumf
// CHECK-NEXT:   %z = arith.minimumf
// CHECK-NEXT:   func.return %z

func.func @erf(%x: f32) -> f32 {
  %y = math.erf %x : f32
  func.return %y : f32
}
// CHECK:      func.func @erf(
// CHECK-NOT:    math.
// CHECK:        %y = arith.minimumf
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
