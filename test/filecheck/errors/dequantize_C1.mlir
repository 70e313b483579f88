// RUN: not relax-opt %s 2>&1 | filecheck %s

// Floats are not quantized.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.dequantize %x, %y, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: dequantize_C1.mlir:6:8: error: @f: relax.dequantize (%r): expected an integer element type or a storage type of 'data' (C1), found f32; convert with relax.astype first{{$}}
