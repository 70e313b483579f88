// RUN: not relax-opt %s 2>&1 | filecheck %s

// A mean of integers is none.

relax.func @f(%x: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.mean %x : (!relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: mean_C3.mlir:6:8: error: @f: relax.mean (%r): expected a floating-point element type (C3), found i32; convert with relax.astype first{{$}}
