// RUN: not relax-opt %s 2>&1 | filecheck %s

// Booleans are no numbers.

relax.func @f(%x: !relax.tensor<[n, n], i1>) -> !relax.object {
  %r = relax.trace %x : (!relax.tensor<[n, n], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: trace_C1.mlir:6:8: error: @f: relax.trace (%r): expected a numeric element type (C1), found i1; convert with relax.astype first{{$}}
