// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @all(
// CHECK-NEXT: %r = relax.median %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @all(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.median %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @all_kept(
// CHECK-NEXT: %r = relax.median %x {keepdims = true} : (!relax.tensor<[n, 4], i8>) -> !relax.tensor<[1, 1], i8>{{$}}
relax.func @all_kept(%x: !relax.tensor<[n, 4], i8>) -> !relax.object {
  %r = relax.median %x {keepdims = true} : (!relax.tensor<[n, 4], i8>) -> !relax.tensor<[1, 1], i8>
  relax.return %r : !relax.tensor<[1, 1], i8>
}

// CHECK-LABEL: relax.func @along(
// CHECK-NEXT: %r0, %r1 = relax.median %x {axis = array<i64: -1>} : (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], i64>){{$}}
relax.func @along(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r0, %r1 = relax.median %x {axis = array<i64: -1>} : (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], i64>)
  relax.return %r0 : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @along_kept(
// CHECK-NEXT: %r0, %r1 = relax.median %x {axis = array<i64: 0>, keepdims = true} : (!relax.tensor<[n, 4], ui8>) -> (!relax.tensor<[1, 4], ui8>, !relax.tensor<[1, 4], i64>){{$}}
relax.func @along_kept(%x: !relax.tensor<[n, 4], ui8>) -> !relax.object {
  %r0, %r1 = relax.median %x {axis = array<i64: 0>, keepdims = true} : (!relax.tensor<[n, 4], ui8>) -> (!relax.tensor<[1, 4], ui8>, !relax.tensor<[1, 4], i64>)
  relax.return %r0 : !relax.tensor<[1, 4], ui8>
}

// CHECK-LABEL: relax.func @perhaps_empty(
// CHECK-NEXT: %r0, %r1 = relax.median %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], i64>){{$}}
relax.func @perhaps_empty(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r0, %r1 = relax.median %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], i64>)
  relax.return %r0 : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r0, %r1 = relax.median %x {axis = array<i64: 0>} : (!relax.tensor<[?, m], f32>) -> (!relax.tensor<[m], f32>, !relax.tensor<[m], i64>){{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, m], f32>) -> !relax.object {
  %r0, %r1 = relax.median %x {axis = array<i64: 0>} : (!relax.tensor<[?, m], f32>) -> (!relax.tensor<[m], f32>, !relax.tensor<[m], i64>)
  relax.return %r0 : !relax.tensor<[m], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r0, %r1 = relax.median %x {axis = array<i64: 0>} : (!relax.tensor<*, f32>) -> (!relax.tensor<*, f32>, !relax.tensor<*, i64>){{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r0, %r1 = relax.median %x {axis = array<i64: 0>} : (!relax.tensor<*, f32>) -> (!relax.tensor<*, f32>, !relax.tensor<*, i64>)
  relax.return %r0 : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r0, %r1 = relax.median %x {axis = array<i64: 0>} : (!relax.tensor<[3]>) -> (!relax.tensor<[]>, !relax.tensor<[], i64>){{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[3]>) -> !relax.object {
  %r0, %r1 = relax.median %x {axis = array<i64: 0>} : (!relax.tensor<[3]>) -> (!relax.tensor<[]>, !relax.tensor<[], i64>)
  relax.return %r0 : !relax.tensor<[]>
}
