// RUN: not relax-opt %s 2>&1 | filecheck %s

// Booleans are no numbers.

relax.func @f(%x: !relax.tensor<[n, m], i1>, %y: !relax.tensor<[m, k], i1>) -> !relax.object {
  %r = relax.matmul %x, %y : (!relax.tensor<[n, m], i1>, !relax.tensor<[m, k], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: matmul_C1_bool.mlir:6:8: error: @f: relax.matmul (%r): expected a numeric element type (C1), found i1; convert with relax.astype first{{$}}
