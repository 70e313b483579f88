// RUN: not relax-opt %s -p relax-lower-functions 2>&1 | filecheck %s

// What is compiled knows that a condition is a boolean.

relax.func @f(%c: !relax.object) -> !relax.object {
  %r = relax.if %c : (!relax.object) -> !relax.object {
    relax.yield %c : !relax.object
  } else {
    relax.yield %c : !relax.object
  }
  relax.return %r : !relax.object
}

// CHECK: lowered_condition_if.mlir:6:8: error: @f: relax.if (%r): expected a condition of type i1 or !relax.tensor<[], i1>, found !relax.object; declare one of these where the value is made
