// RUN: not relax-opt %s 2>&1 | filecheck %s

// In a prim func too, a value is defined before it is used.

func.func @f(%x: memref<4xf32>) {
  %v = memref.load %x[%i] : memref<4xf32>
  %i = arith.constant 1 : index
  func.return
}

// CHECK: prim_func_use_before_definition.mlir:6:8: error: @f: memref.load (%v): expected operands defined before it, in its region or around it (V1), found %i, which arith.constant defines further down; move the definition up{{$}}
