// RUN: not relax-opt %s 2>&1 | filecheck %s

// The list of arguments has a place for each operand.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = "relax.call_packed"(%x) <{func_name = "g", arguments = [unit, unit]}> : (!relax.tensor<[n], f32>) -> !relax.object
  relax.return %y : !relax.object
}

// CHECK: call_packed_arguments.mlir:6:8: error: @f: relax.call_packed (%y): expected an argument list with unit for each of 1 operands (F5), found [unit, unit]; correct it{{$}}
