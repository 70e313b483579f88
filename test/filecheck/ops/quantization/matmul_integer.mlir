// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.matmul_integer %x, %y, %z, %u : (!relax.tensor<[2, 3], ui8>, !relax.tensor<[3, 4], i8>, !relax.tensor<[], ui8>, !relax.tensor<[], i8>) -> !relax.tensor<[2, 4], i32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], ui8>, %y: !relax.tensor<[3, 4], i8>, %z: !relax.tensor<[], ui8>, %u: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.matmul_integer %x, %y, %z, %u : (!relax.tensor<[2, 3], ui8>, !relax.tensor<[3, 4], i8>, !relax.tensor<[], ui8>, !relax.tensor<[], i8>) -> !relax.tensor<[2, 4], i32>
  relax.return %r : !relax.tensor<[2, 4], i32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.matmul_integer %x, %y, %z, %u : (!relax.tensor<[b, n, k], i8>, !relax.tensor<[k, m], i8>, !relax.tensor<[n], i8>, !relax.tensor<[m], i8>) -> !relax.tensor<[b, n, m], i32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[b, n, k], i8>, %y: !relax.tensor<[k, m], i8>, %z: !relax.tensor<[n], i8>, %u: !relax.tensor<[m], i8>) -> !relax.object {
  %r = relax.matmul_integer %x, %y, %z, %u : (!relax.tensor<[b, n, k], i8>, !relax.tensor<[k, m], i8>, !relax.tensor<[n], i8>, !relax.tensor<[m], i8>) -> !relax.tensor<[b, n, m], i32>
  relax.return %r : !relax.tensor<[b, n, m], i32>
}

// CHECK-LABEL: relax.func @vector(
// CHECK-NEXT: %r = relax.matmul_integer %x, %y, %z, %u : (!relax.tensor<[k], i8>, !relax.tensor<[k, m], ui8>, !relax.tensor<[], i8>, !relax.tensor<[1], ui8>) -> !relax.tensor<[m], i32>{{$}}
relax.func @vector(%x: !relax.tensor<[k], i8>, %y: !relax.tensor<[k, m], ui8>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[1], ui8>) -> !relax.object {
  %r = relax.matmul_integer %x, %y, %z, %u : (!relax.tensor<[k], i8>, !relax.tensor<[k, m], ui8>, !relax.tensor<[], i8>, !relax.tensor<[1], ui8>) -> !relax.tensor<[m], i32>
  relax.return %r : !relax.tensor<[m], i32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.matmul_integer %x, %y, %z, %u : (!relax.tensor<*, i8>, !relax.tensor<[k, m], i8>, !relax.tensor<[], i8>, !relax.tensor<[], i8>) -> !relax.tensor<*, i32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, i8>, %y: !relax.tensor<[k, m], i8>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.matmul_integer %x, %y, %z, %u : (!relax.tensor<*, i8>, !relax.tensor<[k, m], i8>, !relax.tensor<[], i8>, !relax.tensor<[], i8>) -> !relax.tensor<*, i32>
  relax.return %r : !relax.tensor<*, i32>
}
