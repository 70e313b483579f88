// RUN: not relax-opt %s 2>&1 | filecheck %s

// An op does not use its own result.

func.func @f(%x: f32) {
  %v = arith.addf %v, %x : f32
  func.return
}

// CHECK: prim_func_self_use.mlir:6:8: error: @f: arith.addf (%v): expected operands defined before it, in its region or around it (V1), found its own result %v; use another value{{$}}
