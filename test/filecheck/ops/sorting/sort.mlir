// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.sort %x {axis = 0 : i64} : (!relax.tensor<[3, 4], f32>) -> !relax.tensor<[3, 4], f32>{{$}}
relax.func @static(%x: !relax.tensor<[3, 4], f32>) -> !relax.object {
  %r = relax.sort %x {axis = 0 : i64} : (!relax.tensor<[3, 4], f32>) -> !relax.tensor<[3, 4], f32>
  relax.return %r : !relax.tensor<[3, 4], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.sort %x {descending = true, axis = -1 : i64} : (!relax.tensor<[n, m], ui8>) -> !relax.tensor<[n, m], ui8>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], ui8>) -> !relax.object {
  %r = relax.sort %x {descending = true, axis = -1 : i64} : (!relax.tensor<[n, m], ui8>) -> !relax.tensor<[n, m], ui8>
  relax.return %r : !relax.tensor<[n, m], ui8>
}

// CHECK-LABEL: relax.func @default(
// CHECK-NEXT: %r = relax.sort %x : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n, m], i1>{{$}}
relax.func @default(%x: !relax.tensor<[n, m], i1>) -> !relax.object {
  %r = relax.sort %x : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n, m], i1>
  relax.return %r : !relax.tensor<[n, m], i1>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.sort %x {axis = 0 : i64} : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], f32>) -> !relax.object {
  %r = relax.sort %x {axis = 0 : i64} : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>
  relax.return %r : !relax.tensor<[?, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.sort %x {axis = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.sort %x {axis = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.sort %x {axis = 0 : i64} : (!relax.tensor<[n]>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>) -> !relax.object {
  %r = relax.sort %x {axis = 0 : i64} : (!relax.tensor<[n]>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}
