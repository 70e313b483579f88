// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.bitwise_not %x : (!relax.tensor<[2, 3], i1>) -> !relax.tensor<[2, 3], i1>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], i1>) -> !relax.object {
  %r = relax.bitwise_not %x : (!relax.tensor<[2, 3], i1>) -> !relax.tensor<[2, 3], i1>
  relax.return %r : !relax.tensor<[2, 3], i1>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.bitwise_not %x : (!relax.tensor<[n, 2 * n], ui8>) -> !relax.tensor<[n, 2 * n], ui8>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 2 * n], ui8>) -> !relax.object {
  %r = relax.bitwise_not %x : (!relax.tensor<[n, 2 * n], ui8>) -> !relax.tensor<[n, 2 * n], ui8>
  relax.return %r : !relax.tensor<[n, 2 * n], ui8>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.bitwise_not %x : (!relax.tensor<[?, 4], i1>) -> !relax.tensor<[?, 4], i1>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], i1>) -> !relax.object {
  %r = relax.bitwise_not %x : (!relax.tensor<[?, 4], i1>) -> !relax.tensor<[?, 4], i1>
  relax.return %r : !relax.tensor<[?, 4], i1>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.bitwise_not %x : (!relax.tensor<*, ui8>) -> !relax.tensor<*, ui8>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, ui8>) -> !relax.object {
  %r = relax.bitwise_not %x : (!relax.tensor<*, ui8>) -> !relax.tensor<*, ui8>
  relax.return %r : !relax.tensor<*, ui8>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.bitwise_not %x : (!relax.tensor<[n]>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>) -> !relax.object {
  %r = relax.bitwise_not %x : (!relax.tensor<[n]>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}
