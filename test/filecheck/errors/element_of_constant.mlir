// RUN: not relax-opt %s 2>&1 | filecheck %s

// No Relax tensor has this element type.

relax.func @f() -> !relax.object {
  %y = relax.constant dense<1> : tensor<4xsi32>
  relax.return %y : !relax.object
}

// CHECK: element_of_constant.mlir:6:23: error: relax.constant: !relax.tensor: expected an element type among f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, index, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, f4E2M1FN, i4, ui4, i2, ui2, found si32; convert the tensor to one of them{{$}}
