// RUN: not relax-opt %s 2>&1 | filecheck %s

// What a loop defines is not visible before it.

func.func @f(%x: index, %n: index) {
  %v = arith.addi %i, %x : index
  scf.for %j = %x to %n step %x {
    %i = arith.addi %j, %j : index
  }
  func.return
}

// CHECK: prim_func_value_of_region.mlir:6:8: error: @f: arith.addi (%v): expected operands defined before it, in its region or around it (V1), found %i, which is defined in another region; pass it out as a result{{$}}
