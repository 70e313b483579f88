// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Whole numbers are not divided.

relax.func @f(%x: !relax.tensor<[3, 3], i32>) -> !relax.object {
  %r = relax.det %x : (!relax.tensor<[3, 3], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.det (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}
