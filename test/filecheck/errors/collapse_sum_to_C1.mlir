// RUN: not relax-opt %s 2>&1 | filecheck %s

// Truth values have no sum.

relax.func @f(%x: !relax.tensor<[n], i1>, %y: !relax.shape<[1]>) -> !relax.object {
  %r = relax.collapse_sum_to %x, %y : (!relax.tensor<[n], i1>, !relax.shape<[1]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: collapse_sum_to_C1.mlir:6:8: error: @f: relax.collapse_sum_to (%r): expected a numeric element type of 'x' (C1), found i1; convert with relax.astype first{{$}}
