// RUN: not relax-opt %s 2>&1 | filecheck %s

// The element type of a builtin tensor is one that Relax tensors have.

relax.func @f(%x: tensor<4xi7>) -> !relax.tensor<[4]> {
  %y = relax.from_builtin %x : (tensor<4xi7>) -> !relax.tensor<[4]>
  relax.return %y : !relax.tensor<[4]>
}

// CHECK: element_of_builtin.mlir:6:8: error: @f: relax.from_builtin (%y): !relax.tensor: expected an element type among f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, index, f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f8E8M0FNU, f4E2M1FN, i4, ui4, i2, ui2, found i7; convert the tensor to one of them{{$}}
