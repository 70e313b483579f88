// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.right_shift %x, %y : (!relax.tensor<[2, 3], i32>, !relax.tensor<[3], i32>) -> !relax.tensor<[2, 3], i32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], i32>, %y: !relax.tensor<[3], i32>) -> !relax.object {
  %r = relax.right_shift %x, %y : (!relax.tensor<[2, 3], i32>, !relax.tensor<[3], i32>) -> !relax.tensor<[2, 3], i32>
  relax.return %r : !relax.tensor<[2, 3], i32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.right_shift %x, %y : (!relax.tensor<[n, 1], ui8>, !relax.tensor<[m], ui8>) -> !relax.tensor<[n, m], ui8>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 1], ui8>, %y: !relax.tensor<[m], ui8>) -> !relax.object {
  %r = relax.right_shift %x, %y : (!relax.tensor<[n, 1], ui8>, !relax.tensor<[m], ui8>) -> !relax.tensor<[n, m], ui8>
  relax.return %r : !relax.tensor<[n, m], ui8>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.right_shift %x, %y : (!relax.tensor<[?, 4], i32>, !relax.tensor<[1, 4], i32>) -> !relax.tensor<[?, 4], i32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], i32>, %y: !relax.tensor<[1, 4], i32>) -> !relax.object {
  %r = relax.right_shift %x, %y : (!relax.tensor<[?, 4], i32>, !relax.tensor<[1, 4], i32>) -> !relax.tensor<[?, 4], i32>
  relax.return %r : !relax.tensor<[?, 4], i32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.right_shift %x, %y : (!relax.tensor<*, ui8>, !relax.tensor<[n], ui8>) -> !relax.tensor<*, ui8>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, ui8>, %y: !relax.tensor<[n], ui8>) -> !relax.object {
  %r = relax.right_shift %x, %y : (!relax.tensor<*, ui8>, !relax.tensor<[n], ui8>) -> !relax.tensor<*, ui8>
  relax.return %r : !relax.tensor<*, ui8>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.right_shift %x, %y : (!relax.tensor<[n]>, !relax.tensor<[n], i32>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>, %y: !relax.tensor<[n], i32>) -> !relax.object {
  %r = relax.right_shift %x, %y : (!relax.tensor<[n]>, !relax.tensor<[n], i32>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}
