// RUN: not relax-opt %s 2>&1 | filecheck %s

// An image of floats.

relax.func @f(%x: !relax.tensor<[n, 3, 8, 8], f32>, %y: !relax.tensor<[4, 3, 3, 3], i8>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.conv2d_integer %x, %y, %z, %u : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], i8>, !relax.tensor<[], i8>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_integer_C1.mlir:6:8: error: @f: relax.conv2d_integer (%r): expected the element type i8 or ui8 of 'x' (C1), found f32; quantize it, or use the operator for all numbers with out_dtype{{$}}
