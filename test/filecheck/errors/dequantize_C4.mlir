// RUN: not relax-opt %s 2>&1 | filecheck %s

// Dequantized numbers are floats.

relax.func @f(%x: !relax.tensor<[n, 4], i8>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.dequantize %x, %y, %z {out_dtype = i32} : (!relax.tensor<[n, 4], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: dequantize_C4.mlir:6:8: error: @f: relax.dequantize (%r): expected a floating-point out_dtype (C4), found i32; name one, such as f32{{$}}
