// RUN: not relax-opt %s 2>&1 | filecheck %s

// Integers are quantized already.

relax.func @f(%x: !relax.tensor<[n, 4], i8>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.quantize %x, %y, %z : (!relax.tensor<[n, 4], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: quantize_C1.mlir:6:8: error: @f: relax.quantize (%r): expected a floating-point element type of 'data' (C1), found i8; convert with relax.astype first{{$}}
