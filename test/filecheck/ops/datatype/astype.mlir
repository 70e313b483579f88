// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @to_int(
// CHECK-NEXT: %r = relax.astype %x {dtype = i32} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], i32>{{$}}
// GENERIC: %r = "relax.astype"(%x) <{dtype = i32}> : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], i32>{{$}}
relax.func @to_int(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.astype %x {dtype = i32} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], i32>
  relax.return %r : !relax.tensor<[n, 4], i32>
}

// CHECK-LABEL: relax.func @to_float(
// CHECK-NEXT: %r = relax.astype %x {dtype = f32} : (!relax.tensor<[n], i1>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC: %r = "relax.astype"(%x) <{dtype = f32}> : (!relax.tensor<[n], i1>) -> !relax.tensor<[n], f32>{{$}}
relax.func @to_float(%x: !relax.tensor<[n], i1>) -> !relax.object {
  %r = relax.astype %x {dtype = f32} : (!relax.tensor<[n], i1>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @to_bool(
// CHECK-NEXT: %r = relax.astype %x {dtype = i1} : (!relax.tensor<[n], f64>) -> !relax.tensor<[n], i1>{{$}}
// GENERIC: %r = "relax.astype"(%x) <{dtype = i1}> : (!relax.tensor<[n], f64>) -> !relax.tensor<[n], i1>{{$}}
relax.func @to_bool(%x: !relax.tensor<[n], f64>) -> !relax.object {
  %r = relax.astype %x {dtype = i1} : (!relax.tensor<[n], f64>) -> !relax.tensor<[n], i1>
  relax.return %r : !relax.tensor<[n], i1>
}

// CHECK-LABEL: relax.func @to_unsigned(
// CHECK-NEXT: %r = relax.astype %x {dtype = ui8} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], ui8>{{$}}
// GENERIC: %r = "relax.astype"(%x) <{dtype = ui8}> : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], ui8>{{$}}
relax.func @to_unsigned(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.astype %x {dtype = ui8} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], ui8>
  relax.return %r : !relax.tensor<[n], ui8>
}

// CHECK-LABEL: relax.func @to_half(
// CHECK-NEXT: %r = relax.astype %x {dtype = f16} : (!relax.tensor<[], f64>) -> !relax.tensor<[], f16>{{$}}
// GENERIC: %r = "relax.astype"(%x) <{dtype = f16}> : (!relax.tensor<[], f64>) -> !relax.tensor<[], f16>{{$}}
relax.func @to_half(%x: !relax.tensor<[], f64>) -> !relax.object {
  %r = relax.astype %x {dtype = f16} : (!relax.tensor<[], f64>) -> !relax.tensor<[], f16>
  relax.return %r : !relax.tensor<[], f16>
}

// CHECK-LABEL: relax.func @to_bfloat(
// CHECK-NEXT: %r = relax.astype %x {dtype = bf16} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], bf16>{{$}}
// GENERIC: %r = "relax.astype"(%x) <{dtype = bf16}> : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], bf16>{{$}}
relax.func @to_bfloat(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.astype %x {dtype = bf16} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], bf16>
  relax.return %r : !relax.tensor<[n], bf16>
}

// CHECK-LABEL: relax.func @same(
// CHECK-NEXT: %r = relax.astype %x {dtype = f32} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC: %r = "relax.astype"(%x) <{dtype = f32}> : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
relax.func @same(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.astype %x {dtype = f32} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.astype %x {dtype = f32} : (!relax.tensor<[?, 4], i8>) -> !relax.tensor<[?, 4], f32>{{$}}
// GENERIC: %r = "relax.astype"(%x) <{dtype = f32}> : (!relax.tensor<[?, 4], i8>) -> !relax.tensor<[?, 4], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], i8>) -> !relax.object {
  %r = relax.astype %x {dtype = f32} : (!relax.tensor<[?, 4], i8>) -> !relax.tensor<[?, 4], f32>
  relax.return %r : !relax.tensor<[?, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.astype %x {dtype = f32} : (!relax.tensor<*, i64>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.astype"(%x) <{dtype = f32}> : (!relax.tensor<*, i64>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, i64>) -> !relax.object {
  %r = relax.astype %x {dtype = f32} : (!relax.tensor<*, i64>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.astype %x {dtype = f32} : (!relax.tensor<[n]>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC: %r = "relax.astype"(%x) <{dtype = f32}> : (!relax.tensor<[n]>) -> !relax.tensor<[n], f32>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>) -> !relax.object {
  %r = relax.astype %x {dtype = f32} : (!relax.tensor<[n]>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @wider(
// CHECK-NEXT: %r = relax.astype %x {dtype = f32} : (!relax.tensor<[n], i32>) -> !relax.tensor<[n]>{{$}}
// GENERIC: %r = "relax.astype"(%x) <{dtype = f32}> : (!relax.tensor<[n], i32>) -> !relax.tensor<[n]>{{$}}
relax.func @wider(%x: !relax.tensor<[n], i32>) -> !relax.object {
  %r = relax.astype %x {dtype = f32} : (!relax.tensor<[n], i32>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}
