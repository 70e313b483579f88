// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.conv2d_integer %x, %y, %z, %u : (!relax.tensor<[2, 3, 8, 8], ui8>, !relax.tensor<[4, 3, 3, 3], i8>, !relax.tensor<[], ui8>, !relax.tensor<[], i8>) -> !relax.tensor<[2, 4, 6, 6], i32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3, 8, 8], ui8>, %y: !relax.tensor<[4, 3, 3, 3], i8>, %z: !relax.tensor<[], ui8>, %u: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.conv2d_integer %x, %y, %z, %u : (!relax.tensor<[2, 3, 8, 8], ui8>, !relax.tensor<[4, 3, 3, 3], i8>, !relax.tensor<[], ui8>, !relax.tensor<[], i8>) -> !relax.tensor<[2, 4, 6, 6], i32>
  relax.return %r : !relax.tensor<[2, 4, 6, 6], i32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.conv2d_integer %x, %y, %z, %u {padding = array<i64: 1>, groups = 2 : i64} : (!relax.tensor<[n, 4, h, w], i8>, !relax.tensor<[6, 2, 3, 3], i8>, !relax.tensor<[], i8>, !relax.tensor<[], i8>) -> !relax.tensor<[n, 6, h, w], i32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 4, h, w], i8>, %y: !relax.tensor<[6, 2, 3, 3], i8>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.conv2d_integer %x, %y, %z, %u {padding = array<i64: 1>, groups = 2 : i64} : (!relax.tensor<[n, 4, h, w], i8>, !relax.tensor<[6, 2, 3, 3], i8>, !relax.tensor<[], i8>, !relax.tensor<[], i8>) -> !relax.tensor<[n, 6, h, w], i32>
  relax.return %r : !relax.tensor<[n, 6, h, w], i32>
}

// CHECK-LABEL: relax.func @layout(
// CHECK-NEXT: %r = relax.conv2d_integer %x, %y, %z, %u {data_layout = "NHWC", kernel_layout = "OHWI"} : (!relax.tensor<[n, 8, 8, c], ui8>, !relax.tensor<[o, 1, 1, c], ui8>, !relax.tensor<[], ui8>, !relax.tensor<[], ui8>) -> !relax.tensor<[n, 8, 8, o], i32>{{$}}
relax.func @layout(%x: !relax.tensor<[n, 8, 8, c], ui8>, %y: !relax.tensor<[o, 1, 1, c], ui8>, %z: !relax.tensor<[], ui8>, %u: !relax.tensor<[], ui8>) -> !relax.object {
  %r = relax.conv2d_integer %x, %y, %z, %u {data_layout = "NHWC", kernel_layout = "OHWI"} : (!relax.tensor<[n, 8, 8, c], ui8>, !relax.tensor<[o, 1, 1, c], ui8>, !relax.tensor<[], ui8>, !relax.tensor<[], ui8>) -> !relax.tensor<[n, 8, 8, o], i32>
  relax.return %r : !relax.tensor<[n, 8, 8, o], i32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.conv2d_integer %x, %y, %z, %u : (!relax.tensor<*, i8>, !relax.tensor<[4, 3, 3, 3], i8>, !relax.tensor<*, i8>, !relax.tensor<[], i8>) -> !relax.tensor<[?, 4, ?, ?], i32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, i8>, %y: !relax.tensor<[4, 3, 3, 3], i8>, %z: !relax.tensor<*, i8>, %u: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.conv2d_integer %x, %y, %z, %u : (!relax.tensor<*, i8>, !relax.tensor<[4, 3, 3, 3], i8>, !relax.tensor<*, i8>, !relax.tensor<[], i8>) -> !relax.tensor<[?, 4, ?, ?], i32>
  relax.return %r : !relax.tensor<[?, 4, ?, ?], i32>
}
