// RUN: not relax-opt %s 2>&1 | filecheck %s

// Booleans are no numbers.

relax.func @f(%x: !relax.tensor<[4], i1>) -> !relax.object {
  %r = relax.mean %x : (!relax.tensor<[4], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: numeric_reduction_C1.mlir:6:8: error: @f: relax.mean (%r): expected a numeric element type (C1), found i1; convert with relax.astype first{{$}}
