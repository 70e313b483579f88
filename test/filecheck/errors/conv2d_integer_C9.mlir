// RUN: not relax-opt %s 2>&1 | filecheck %s

// A zero point for each channel.

relax.func @f(%x: !relax.tensor<[n, 3, 8, 8], i8>, %y: !relax.tensor<[4, 3, 3, 3], i8>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[4], i8>) -> !relax.object {
  %r = relax.conv2d_integer %x, %y, %z, %u : (!relax.tensor<[n, 3, 8, 8], i8>, !relax.tensor<[4, 3, 3, 3], i8>, !relax.tensor<[], i8>, !relax.tensor<[4], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_integer_C9.mlir:6:8: error: @f: relax.conv2d_integer (%r): expected 'weight_zero_point' of rank 0 (C9), found rank 1; take one element{{$}}
