// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.qlinear_matmul %x, %y, %z, %u, %v, %w, %s, %t : (!relax.tensor<[2, 3], ui8>, !relax.tensor<[], f32>, !relax.tensor<[], ui8>, !relax.tensor<[3, 4], i8>, !relax.tensor<[4], f32>, !relax.tensor<[4], i8>, !relax.tensor<[], f32>, !relax.tensor<[], ui8>) -> !relax.tensor<[2, 4], ui8>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], ui8>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], ui8>, %u: !relax.tensor<[3, 4], i8>, %v: !relax.tensor<[4], f32>, %w: !relax.tensor<[4], i8>, %s: !relax.tensor<[], f32>, %t: !relax.tensor<[], ui8>) -> !relax.object {
  %r = relax.qlinear_matmul %x, %y, %z, %u, %v, %w, %s, %t : (!relax.tensor<[2, 3], ui8>, !relax.tensor<[], f32>, !relax.tensor<[], ui8>, !relax.tensor<[3, 4], i8>, !relax.tensor<[4], f32>, !relax.tensor<[4], i8>, !relax.tensor<[], f32>, !relax.tensor<[], ui8>) -> !relax.tensor<[2, 4], ui8>
  relax.return %r : !relax.tensor<[2, 4], ui8>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.qlinear_matmul %x, %y, %z, %u, %v, %w, %s, %t : (!relax.tensor<[n, k], i8>, !relax.tensor<[n], f16>, !relax.tensor<[n], i8>, !relax.tensor<[k, m], i8>, !relax.tensor<[], f16>, !relax.tensor<[], i8>, !relax.tensor<[], f16>, !relax.tensor<[], i8>) -> !relax.tensor<[n, m], i8>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, k], i8>, %y: !relax.tensor<[n], f16>, %z: !relax.tensor<[n], i8>, %u: !relax.tensor<[k, m], i8>, %v: !relax.tensor<[], f16>, %w: !relax.tensor<[], i8>, %s: !relax.tensor<[], f16>, %t: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.qlinear_matmul %x, %y, %z, %u, %v, %w, %s, %t : (!relax.tensor<[n, k], i8>, !relax.tensor<[n], f16>, !relax.tensor<[n], i8>, !relax.tensor<[k, m], i8>, !relax.tensor<[], f16>, !relax.tensor<[], i8>, !relax.tensor<[], f16>, !relax.tensor<[], i8>) -> !relax.tensor<[n, m], i8>
  relax.return %r : !relax.tensor<[n, m], i8>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.qlinear_matmul %x, %y, %z, %u, %v, %w, %s, %t : (!relax.tensor<[n, ?], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>, !relax.tensor<[k, m], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>, !relax.tensor<[], f32>, !relax.tensor<[]>) -> !relax.tensor<[n, m]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, ?], i8>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[k, m], i8>, %v: !relax.tensor<[], f32>, %w: !relax.tensor<[], i8>, %s: !relax.tensor<[], f32>, %t: !relax.tensor<[]>) -> !relax.object {
  %r = relax.qlinear_matmul %x, %y, %z, %u, %v, %w, %s, %t : (!relax.tensor<[n, ?], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>, !relax.tensor<[k, m], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>, !relax.tensor<[], f32>, !relax.tensor<[]>) -> !relax.tensor<[n, m]>
  relax.return %r : !relax.tensor<[n, m]>
}
