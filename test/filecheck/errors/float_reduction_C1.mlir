// RUN: not relax-opt %s 2>&1 | filecheck %s

// Integers have no fractions.

relax.func @f(%x: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.variance %x : (!relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: float_reduction_C1.mlir:6:8: error: @f: relax.variance (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}
