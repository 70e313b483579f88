// RUN: not relax-opt %s 2>&1 | filecheck %s

// Booleans are no numbers.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], i1>) -> !relax.object {
  %r = relax.max_pool2d %x {pool_size = array<i64: 2>} : (!relax.tensor<[1, 4, 8, 8], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: max_pool2d_C1.mlir:6:8: error: @f: relax.max_pool2d (%r): expected a numeric element type (C1), found i1; convert with relax.astype first{{$}}
