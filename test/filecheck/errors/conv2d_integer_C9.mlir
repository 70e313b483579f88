// RUN: not relax-opt %s 2>&1 | filecheck %s

// A zero point for each channel of x.

relax.func @f(%x: !relax.tensor<[n, 3, 8, 8], i8>, %y: !relax.tensor<[4, 3, 3, 3], i8>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[3], i8>) -> !relax.object {
  %r = relax.conv2d_integer %x, %y, %z, %u : (!relax.tensor<[n, 3, 8, 8], i8>, !relax.tensor<[4, 3, 3, 3], i8>, !relax.tensor<[], i8>, !relax.tensor<[3], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_integer_C9.mlir:6:8: error: @f: relax.conv2d_integer (%r): expected 'weight_zero_point' to have one element for each filter (C9), found 3 for 4; slice or broadcast it{{$}}
