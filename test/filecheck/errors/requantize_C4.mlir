// RUN: not relax-opt %s 2>&1 | filecheck %s

// Numbers are quantized to few bits.

relax.func @f(%x: !relax.tensor<[n, 4], i8>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[], f32>, %v: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.requantize %x, %y, %z, %u, %v {out_dtype = i32} : (!relax.tensor<[n, 4], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: requantize_C4.mlir:6:8: error: @f: relax.requantize (%r): expected out_dtype i8, ui8, i16 or ui16 (C4), found i32; name one of these{{$}}
