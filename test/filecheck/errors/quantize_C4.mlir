// RUN: not relax-opt %s 2>&1 | filecheck %s

// 32 bits are not few.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.quantize %x, %y, %z {out_dtype = i32} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: quantize_C4.mlir:6:8: error: @f: relax.quantize (%r): expected out_dtype i8, ui8, i16, ui16, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f4E2M1FN, i4, ui4, i2 or ui2 (C4), found i32; name one of these{{$}}
