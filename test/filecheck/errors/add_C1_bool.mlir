// RUN: not relax-opt %s 2>&1 | filecheck %s

// Booleans are no numbers.

relax.func @f(%x: !relax.tensor<[4], i1>, %y: !relax.tensor<[4], i1>) -> !relax.object {
  %r = relax.add %x, %y : (!relax.tensor<[4], i1>, !relax.tensor<[4], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: add_C1_bool.mlir:6:8: error: @f: relax.add (%r): expected a numeric element type (C1), found i1; convert with relax.astype first{{$}}
