// RUN: not relax-opt %s 2>&1 | filecheck %s

// The mean of integers is none.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], i32>) -> !relax.object {
  %r = relax.avg_pool2d %x {pool_size = array<i64: 2>} : (!relax.tensor<[1, 4, 8, 8], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: avg_pool2d_C7.mlir:6:8: error: @f: relax.avg_pool2d (%r): expected a floating-point element type (C7), found i32; convert with relax.astype first{{$}}
