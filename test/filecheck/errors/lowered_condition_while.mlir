// RUN: not relax-opt %s -p relax-lower-functions 2>&1 | filecheck %s

// What is compiled knows that a condition is a boolean.

relax.func @f(%c: !relax.object) -> !relax.object {
  %r = relax.while (%s = %c) : (!relax.object) -> !relax.object {
    relax.yield %s : !relax.object
  } do {
    relax.yield %s : !relax.object
  }
  relax.return %r : !relax.object
}

// CHECK: lowered_condition_while.mlir:6:8: error: @f: relax.while (%r): expected a condition of type i1 or !relax.tensor<[], i1>, found !relax.object; declare one of these where the value is made
