// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r0, %r1 = relax.cummin %x {axis = 0 : i64} : (!relax.tensor<[3, 4], f32>) -> (!relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], i64>){{$}}
relax.func @static(%x: !relax.tensor<[3, 4], f32>) -> !relax.object {
  %r0, %r1 = relax.cummin %x {axis = 0 : i64} : (!relax.tensor<[3, 4], f32>) -> (!relax.tensor<[3, 4], f32>, !relax.tensor<[3, 4], i64>)
  relax.return %r0 : !relax.tensor<[3, 4], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r0, %r1 = relax.cummin %x {axis = -1 : i64} : (!relax.tensor<[n, m], ui8>) -> (!relax.tensor<[n, m], ui8>, !relax.tensor<[n, m], i64>){{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], ui8>) -> !relax.object {
  %r0, %r1 = relax.cummin %x {axis = -1 : i64} : (!relax.tensor<[n, m], ui8>) -> (!relax.tensor<[n, m], ui8>, !relax.tensor<[n, m], i64>)
  relax.return %r0 : !relax.tensor<[n, m], ui8>
}

// CHECK-LABEL: relax.func @default(
// CHECK-NEXT: %r0, %r1 = relax.cummin %x : (!relax.tensor<[n, m], f32>) -> (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], i64>){{$}}
relax.func @default(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r0, %r1 = relax.cummin %x : (!relax.tensor<[n, m], f32>) -> (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], i64>)
  relax.return %r0 : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r0, %r1 = relax.cummin %x {axis = 0 : i64} : (!relax.tensor<[?, 4], f32>) -> (!relax.tensor<[?, 4], f32>, !relax.tensor<[?, 4], i64>){{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], f32>) -> !relax.object {
  %r0, %r1 = relax.cummin %x {axis = 0 : i64} : (!relax.tensor<[?, 4], f32>) -> (!relax.tensor<[?, 4], f32>, !relax.tensor<[?, 4], i64>)
  relax.return %r0 : !relax.tensor<[?, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r0, %r1 = relax.cummin %x {axis = 2 : i64} : (!relax.tensor<*, f32>) -> (!relax.tensor<*, f32>, !relax.tensor<*, i64>){{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r0, %r1 = relax.cummin %x {axis = 2 : i64} : (!relax.tensor<*, f32>) -> (!relax.tensor<*, f32>, !relax.tensor<*, i64>)
  relax.return %r0 : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r0, %r1 = relax.cummin %x {axis = 0 : i64} : (!relax.tensor<[n]>) -> (!relax.tensor<[n]>, !relax.tensor<[n], i64>){{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>) -> !relax.object {
  %r0, %r1 = relax.cummin %x {axis = 0 : i64} : (!relax.tensor<[n]>) -> (!relax.tensor<[n]>, !relax.tensor<[n], i64>)
  relax.return %r0 : !relax.tensor<[n]>
}
