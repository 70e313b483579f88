// RUN: not relax-opt %s 2>&1 | filecheck %s

// A window of nothing.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], f32>) -> !relax.object {
  %r = relax.max_pool2d %x {pool_size = array<i64: 0>} : (!relax.tensor<[1, 4, 8, 8], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: max_pool2d_C6_empty.mlir:6:8: error: @f: relax.max_pool2d (%r): expected 'pool_size' to be 1 or 2 numbers of 1 or more (C6), found [0]; write one for each of H, W{{$}}
