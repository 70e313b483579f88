func.func @arith_int(%a: i32, %b: i32) -> (i32, i32, i32, i32, i32, i32) {
  %0 = arith.addi %a, %b : i32
  %1 = arith.subi %0, %b : i32
  %2 = arith.muli %1, %a : i32
  %3 = arith.divsi %2, %b : i32
  %4 = arith.remsi %2, %b : i32
  %5 = arith.andi %a, %b : i32
  %6 = arith.ori %a, %5 : i32
  %7 = arith.xori %6, %b : i32
  return %2, %3, %4, %5, %6, %7 : i32, i32, i32, i32, i32, i32
}
func.func @shifts(%a: i32, %b: i32) -> (i32, i32, i32) {
  %0 = arith.shli %a, %b : i32
  %1 = arith.shrsi %a, %b : i32
  %2 = arith.shrui %a, %b : i32
  return %0, %1, %2 : i32, i32, i32
}
func.func @divs(%a: i64, %b: i64) -> (i64, i64, i64, i64, i64) {
  %0 = arith.ceildivsi %a, %b : i64
  %1 = arith.floordivsi %a, %b : i64
  %2 = arith.divui %a, %b : i64
  %3 = arith.remui %a, %b : i64
  %4 = arith.ceildivui %a, %b : i64
  return %0, %1, %2, %3, %4 : i64, i64, i64, i64, i64
}
func.func @minmax(%a: i32, %b: i32) -> (i32, i32, i32, i32) {
  %0 = arith.maxsi %a, %b : i32
  %1 = arith.minsi %a, %b : i32
  %2 = arith.maxui %a, %b : i32
  %3 = arith.minui %a, %b : i32
  return %0, %1, %2, %3 : i32, i32, i32, i32
}
func.func @floats(%a: f32, %b: f32) -> (f32, f32, f32, f32, f32, f32, f32) {
  %0 = arith.addf %a, %b : f32
  %1 = arith.mulf %0, %b : f32
  %2 = arith.divf %1, %a : f32
  %3 = arith.negf %2 : f32
  %4 = arith.maximumf %3, %a : f32
  %5 = arith.minimumf %3, %b : f32
  %6 = arith.maxnumf %3, %b : f32
  return %0, %1, %2, %3, %4, %5, %6 : f32, f32, f32, f32, f32, f32, f32
}
func.func @casts(%a: i8, %f: f32) -> (i32, i32, f64, f16, i32, f32, index) {
  %0 = arith.extsi %a : i8 to i32
  %1 = arith.extui %a : i8 to i32
  %2 = arith.extf %f : f32 to f64
  %3 = arith.truncf %f : f32 to f16
  %4 = arith.fptosi %f : f32 to i32
  %5 = arith.sitofp %a : i8 to f32
  %6 = arith.index_cast %a : i8 to index
  return %0, %1, %2, %3, %4, %5, %6 : i32, i32, f64, f16, i32, f32, index
}
func.func @cmp_select(%a: f32, %b: f32, %c: i1) -> (f32, i1, i1) {
  %0 = arith.cmpf ogt, %a, %b : f32
  %1 = arith.cmpf ult, %a, %b : f32
  %2 = arith.select %0, %a, %b : f32
  %3 = arith.andi %1, %c : i1
  return %2, %0, %3 : f32, i1, i1
}
func.func @maths(%a: f32) -> (f32, f32, f32, f32, f32, f32) {
  %0 = math.exp %a : f32
  %1 = math.tanh %a : f32
  %2 = math.sqrt %0 : f32
  %3 = math.log %0 : f32
  %4 = math.absf %a : f32
  %5 = math.fma %a, %0, %1 : f32
  return %0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, f32, f32
}
func.func @maths2(%a: f32, %b: f32) -> (f32, f32, f32, f32, f32) {
  %0 = math.powf %a, %b : f32
  %1 = math.atan2 %a, %b : f32
  %2 = math.floor %a : f32
  %3 = math.ceil %a : f32
  %4 = math.erf %a : f32
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}
func.func @mathi(%a: i32) -> (i32, i32, i32, i32) {
  %0 = math.ctpop %a : i32
  %1 = math.ctlz %a : i32
  %2 = math.cttz %a : i32
  %3 = math.absi %a : i32
  return %0, %1, %2, %3 : i32, i32, i32, i32
}
func.func @ipow(%a: i32, %b: i32) -> i32 {
  %0 = math.ipowi %a, %b : i32
  return %0 : i32
}
func.func @bitcast(%a: f32) -> i32 {
  %0 = arith.bitcast %a : f32 to i32
  return %0 : i32
}
func.func @noargs() -> f32 {
  %0 = arith.constant 2.5 : f32
  return %0 : f32
}
func.func @fact(%n: i64) -> i64 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %z = arith.cmpi eq, %n, %c0 : i64
  %r = scf.if %z -> (i64) {
    scf.yield %c1 : i64
  } else {
    %m = arith.subi %n, %c1 : i64
    %f = func.call @fact(%m) : (i64) -> i64
    %p = arith.muli %n, %f : i64
    scf.yield %p : i64
  }
  return %r : i64
}
func.func @for_sum(%lb: index, %ub: index, %step: index) -> f32 {
  %s0 = arith.constant 0.0 : f32
  %t = arith.constant 1.0 : f32
  %s = scf.for %iv = %lb to %ub step %step iter_args(%it = %s0) -> (f32) {
    %n = arith.addf %it, %t : f32
    scf.yield %n : f32
  }
  return %s : f32
}
func.func @while_loop(%x: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %r:2 = scf.while (%a = %x, %n = %c1) : (i32, i32) -> (i32, i32) {
    %c = arith.cmpi sgt, %a, %c1 : i32
    scf.condition(%c) %a, %n : i32, i32
  } do {
  ^bb0(%a: i32, %n: i32):
    %d = arith.divsi %a, %c2 : i32
    %m = arith.addi %n, %c1 : i32
    scf.yield %d, %m : i32, i32
  }
  return %r#1 : i32
}
func.func @switch(%i: index) -> i32 {
  %r = scf.index_switch %i -> i32
  case 2 {
    %1 = arith.constant 10 : i32
    scf.yield %1 : i32
  }
  case 5 {
    %2 = arith.constant 20 : i32
    scf.yield %2 : i32
  }
  default {
    %3 = arith.constant 30 : i32
    scf.yield %3 : i32
  }
  return %r : i32
}
func.func @par_reduce(%n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z) -> i32 {
    %v = arith.index_cast %i : index to i32
    scf.reduce(%v : i32) {
    ^bb0(%l: i32, %rr: i32):
      %a = arith.addi %l, %rr : i32
      scf.reduce.return %a : i32
    }
  }
  return %r : i32
}
