// RUN: not relax-opt %s 2>&1 | filecheck %s

// The element types differ, and no 'out_dtype' says what the result is.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], i8>, %w: !relax.tensor<[6, 4, 3, 3], i32>) -> !relax.object {
  %r = relax.conv2d %x, %w : (!relax.tensor<[1, 4, 8, 8], i8>, !relax.tensor<[6, 4, 3, 3], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_C1_dtypes.mlir:6:8: error: @f: relax.conv2d (%r): expected operands of one element type (C1), found i8 and i32; convert one of them with relax.astype{{$}}
