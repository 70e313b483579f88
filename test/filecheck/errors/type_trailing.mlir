// RUN: not relax-opt %s 2>&1 | filecheck %s

// Something stands after the element type.

relax.func @f(%x: !relax.tensor<[4], f32, 5>) -> !relax.object {
  relax.return %x : !relax.tensor<[4], f32, 5>
}

// CHECK: type_trailing.mlir:5:32: error: element type 'f32, 5': expected one of f16, bf16, f32, f64, i1, i8, i16, i32, i64, ui8, ui16, ui32, ui64, index{{$}}
