// RUN: not relax-opt %s 2>&1 | filecheck %s

// An integer is always a number.

relax.func @f(%x: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.isnan %x : (!relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: isnan_C1.mlir:6:8: error: @f: relax.isnan (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}
