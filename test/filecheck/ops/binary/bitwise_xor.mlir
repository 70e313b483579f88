// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.bitwise_xor %x, %y : (!relax.tensor<[2, 3], ui8>, !relax.tensor<[3], ui8>) -> !relax.tensor<[2, 3], ui8>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], ui8>, %y: !relax.tensor<[3], ui8>) -> !relax.object {
  %r = relax.bitwise_xor %x, %y : (!relax.tensor<[2, 3], ui8>, !relax.tensor<[3], ui8>) -> !relax.tensor<[2, 3], ui8>
  relax.return %r : !relax.tensor<[2, 3], ui8>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.bitwise_xor %x, %y : (!relax.tensor<[n, 1], i1>, !relax.tensor<[m], i1>) -> !relax.tensor<[n, m], i1>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 1], i1>, %y: !relax.tensor<[m], i1>) -> !relax.object {
  %r = relax.bitwise_xor %x, %y : (!relax.tensor<[n, 1], i1>, !relax.tensor<[m], i1>) -> !relax.tensor<[n, m], i1>
  relax.return %r : !relax.tensor<[n, m], i1>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.bitwise_xor %x, %y : (!relax.tensor<[?, 4], ui8>, !relax.tensor<[1, 4], ui8>) -> !relax.tensor<[?, 4], ui8>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], ui8>, %y: !relax.tensor<[1, 4], ui8>) -> !relax.object {
  %r = relax.bitwise_xor %x, %y : (!relax.tensor<[?, 4], ui8>, !relax.tensor<[1, 4], ui8>) -> !relax.tensor<[?, 4], ui8>
  relax.return %r : !relax.tensor<[?, 4], ui8>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.bitwise_xor %x, %y : (!relax.tensor<*, i1>, !relax.tensor<[n], i1>) -> !relax.tensor<*, i1>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, i1>, %y: !relax.tensor<[n], i1>) -> !relax.object {
  %r = relax.bitwise_xor %x, %y : (!relax.tensor<*, i1>, !relax.tensor<[n], i1>) -> !relax.tensor<*, i1>
  relax.return %r : !relax.tensor<*, i1>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.bitwise_xor %x, %y : (!relax.tensor<[n]>, !relax.tensor<[n], ui8>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>, %y: !relax.tensor<[n], ui8>) -> !relax.object {
  %r = relax.bitwise_xor %x, %y : (!relax.tensor<[n]>, !relax.tensor<[n], ui8>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}
