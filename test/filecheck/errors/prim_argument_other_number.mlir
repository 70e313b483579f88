// RUN: not relax-opt %s 2>&1 | filecheck %s

// A literal that is another number than the callee expects.

relax.func private @callee(%v: !relax.prim<3>) -> !relax.object {
  relax.return %v : !relax.prim<3>
}
relax.func @f() -> !relax.object {
  %four = relax.prim_value [4]
  %0 = relax.call @callee(%four) : (!relax.prim<4>) -> !relax.object
  relax.return %0 : !relax.object
}

// CHECK: prim_argument_other_number.mlir:10:8: error: @f: relax.call @callee: expected arguments of sizes [3] (F2), found [4]: dimension 0: expected '3', found '4'; pass arguments whose sizes agree{{$}}
