// RUN: not relax-opt %s 2>&1 | filecheck %s

// Booleans are no numbers.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], i1>, %w: !relax.tensor<[6, 4, 3, 3], i1>) -> !relax.object {
  %r = relax.conv2d %x, %w : (!relax.tensor<[1, 4, 8, 8], i1>, !relax.tensor<[6, 4, 3, 3], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_C1_bool.mlir:6:8: error: @f: relax.conv2d (%r): expected a numeric element type of 'x' (C1), found i1; convert with relax.astype first{{$}}
