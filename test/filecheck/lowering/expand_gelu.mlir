// RUN: relax-opt %s -p 'relax-expand-math{cpu=x86-64-v3}' | filecheck %s
// RUN: relax-opt %s -p 'relax-expand-math{cpu=generic}' | filecheck %s --check-prefix SPLIT

func.func @gelu(%x: f32) -> f32 {
  %root = arith.constant -0.707106769 : f32
  %half = arith.constant 0.5 : f32
  %z = arith.mulf %x, %root : f32
  %c = math.erfc %z fastmath<contract> : f32
  %p = arith.mulf %half, %c : f32
  %y = arith.mulf %x, %p : f32
  func.return %y : f32
}

// CHECK:       func.func @gelu(%x: f32) -> f32 {
// CHECK-NOT:     math.erfc
// CHECK:         [[BITS:%.*]] = arith.bitcast %x : f32 to i32
// CHECK-NEXT:    [[MIN:%.*]] = arith.minui [[BITS]], {{%.*}} : i32
// CHECK-NEXT:    [[RELU:%.*]] = arith.bitcast [[MIN]] : i32 to f32
// CHECK:         [[SIZE:%.*]] = math.absf {{%.*}} : f32
// CHECK-NEXT:    math.absf %x : f32
// CHECK-NEXT:    arith.bitcast
// CHECK-NEXT:    arith.minsi
// CHECK-NEXT:    [[A:%.*]] = arith.bitcast {{%.*}} : i32 to f32
// CHECK-NEXT:    [[SQUARE:%.*]] = arith.mulf [[A]], [[A]] : f32
// CHECK-NEXT:    [[MINUS:%.*]] = arith.negf [[SQUARE]] : f32
// CHECK-NEXT:    [[LOST:%.*]] = math.fma [[A]], [[A]], [[MINUS]] : f32
// CHECK-NEXT:    arith.mulf [[SQUARE]]
// CHECK-NEXT:    arith.addf
// CHECK-NEXT:    [[N:%.*]] = arith.subf
// CHECK-NEXT:    [[NEAR:%.*]] = math.fma [[N]], {{%.*}}, [[SQUARE]] : f32
// CHECK-NEXT:    arith.addf [[NEAR]], [[LOST]] : f32
// CHECK:         arith.addi
// CHECK:         arith.divf
// CHECK-NEXT:    [[TAIL:%.*]] = arith.mulf
// CHECK-NEXT:    [[PRODUCT:%.*]] = arith.mulf [[SIZE]], [[TAIL]] : f32
// CHECK-NEXT:    %y = arith.subf [[RELU]], [[PRODUCT]] : f32
// CHECK-NEXT:    func.return %y : f32

// SPLIT:       func.func @gelu(%x: f32) -> f32 {
// SPLIT-NOT:     math.fma
// SPLIT:         [[HALF:%.*]] = arith.andi
// SPLIT-NEXT:    [[HIGH:%.*]] = arith.bitcast [[HALF]] : i32 to f32
// SPLIT-NEXT:    arith.mulf [[HIGH]], [[HIGH]] : f32
// SPLIT-NEXT:    [[REST:%.*]] = arith.subf [[A:%.*]], [[HIGH]] : f32
// SPLIT-NEXT:    [[SUM:%.*]] = arith.addf [[A]], [[HIGH]] : f32
// SPLIT-NEXT:    arith.mulf [[REST]], [[SUM]] : f32
// SPLIT-NOT:     math.fma
// SPLIT:         %y = arith.subf
