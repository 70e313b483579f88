// RUN: not relax-opt %s 2>&1 | filecheck %s

// Floats are not quantized.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[], f32>, %v: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.requantize %x, %y, %z, %u, %v : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>, !relax.tensor<[], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: requantize_C1.mlir:6:8: error: @f: relax.requantize (%r): expected an integer element type of 'data' (C1), found f32; convert with relax.astype first{{$}}
