// RUN: relax-opt %s -p relax-convert-cf-to-scf | filecheck %s

// A branch ends where its sides meet.
// CHECK-LABEL: func.func @diamond
// CHECK-NEXT:    %r = scf.if %c -> (f32) {
// CHECK-NEXT:      %0 = arith.addf %a, %b : f32
// CHECK-NEXT:      scf.yield %0 : f32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %a : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %r : f32
func.func @diamond(%c: i1, %a: f32, %b: f32) -> f32 {
  cf.cond_br %c, ^then, ^join(%a : f32)
^then:
  %0 = arith.addf %a, %b : f32
  cf.br ^join(%0 : f32)
^join(%r: f32):
  return %r : f32
}

// A loop that is left from its header; its condition holds where it is left.
// CHECK-LABEL: func.func @gcd
// CHECK-NEXT:    %x, %y = scf.while (%x_1 = %a, %y_1 = %b) : (i32, i32) -> (i32, i32) {
// CHECK-NEXT:      %z = arith.constant 0 : i32
// CHECK-NEXT:      %c = arith.cmpi eq, %y_1, %z : i32
// CHECK-NEXT:      %0 = arith.constant true
// CHECK-NEXT:      %1 = arith.xori %c, %0 : i1
// CHECK-NEXT:      scf.condition(%1) %x_1, %y_1 : i32, i32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%x_2: i32, %y_2: i32):
// CHECK-NEXT:      %m = arith.remsi %x_2, %y_2 : i32
// CHECK-NEXT:      scf.yield %y_2, %m : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %x : i32
func.func @gcd(%a: i32, %b: i32) -> i32 {
  cf.br ^loop(%a, %b : i32, i32)
^loop(%x: i32, %y: i32):
  %z = arith.constant 0 : i32
  %c = arith.cmpi eq, %y, %z : i32
  cf.cond_br %c, ^done, ^step
^step:
  %m = arith.remsi %x, %y : i32
  cf.br ^loop(%y, %m : i32, i32)
^done:
  return %x : i32
}

// Several returns become one.
// CHECK-LABEL: func.func @early
// CHECK:         scf.if %c -> (i32) {
// CHECK:         func.return
// CHECK-NOT:     func.return
func.func @early(%c: i1, %a: i32) -> i32 {
  cf.cond_br %c, ^one, ^other
^one:
  %1 = arith.constant 1 : i32
  return %1 : i32
^other:
  return %a : i32
}

// One block with a region of ops: the region is inlined.
// CHECK-LABEL: func.func @region
// CHECK-NEXT:    %r = arith.addi %a, %a : i32
// CHECK-NEXT:    func.return %r : i32
func.func @region(%a: i32) -> i32 {
  %r = scf.execute_region -> i32 {
    %0 = arith.addi %a, %a : i32
    scf.yield %0 : i32
  }
  return %r : i32
}
