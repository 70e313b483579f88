// RUN: not relax-opt %s 2>&1 | filecheck %s

// An element type is one of the list.

relax.func @f(%x: !relax.tensor<[4], f33>) -> !relax.object {
  relax.return %x : !relax.tensor<[4], f33>
}

// CHECK: type_dtype.mlir:5:32: error: element type 'f33': expected one of f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, index, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, f4E2M1FN, i4, ui4, i2, ui2{{$}}
