// RUN: not relax-opt %s 2>&1 | filecheck %s

// A cast to a number that the value is not.

relax.func @f(%n: !relax.prim<n>) -> !relax.object {
  %0 = relax.match_cast %n : !relax.prim<n> -> !relax.prim<n + 1>
  relax.return %0 : !relax.prim<n + 1>
}

// CHECK: prim_cast_contradiction.mlir:6:8: error: @f: relax.match_cast: expected a type that a value of !relax.prim<n> can have (C1), found !relax.prim<n + 1>; correct the target type{{$}}
