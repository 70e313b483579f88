// RUN: not relax-opt %s 2>&1 | filecheck %s

// Booleans are no numbers.

relax.func @f(%x: !relax.tensor<[4], i1>) -> !relax.object {
  %r0, %r1 = relax.cummin %x {axis = 0 : i64} : (!relax.tensor<[4], i1>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: running_extreme_C2.mlir:6:14: error: @f: relax.cummin (%r0, %r1): expected a numeric element type (C2), found i1; convert with relax.astype first{{$}}
