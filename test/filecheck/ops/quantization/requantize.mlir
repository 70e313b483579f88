// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.requantize %x, %y, %z, %u, %v : (!relax.tensor<[2, 3], i32>, !relax.tensor<[], f32>, !relax.tensor<[], i32>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<[2, 3], i8>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], i32>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], i32>, %u: !relax.tensor<[], f32>, %v: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.requantize %x, %y, %z, %u, %v : (!relax.tensor<[2, 3], i32>, !relax.tensor<[], f32>, !relax.tensor<[], i32>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<[2, 3], i8>
  relax.return %r : !relax.tensor<[2, 3], i8>
}

// CHECK-LABEL: relax.func @channels(
// CHECK-NEXT: %r = relax.requantize %x, %y, %z, %u, %v {axis = 1 : i64, out_dtype = ui8} : (!relax.tensor<[n, c], i32>, !relax.tensor<[c], f32>, !relax.tensor<[], i32>, !relax.tensor<[], f32>, !relax.tensor<[], ui8>) -> !relax.tensor<[n, c], ui8>{{$}}
relax.func @channels(%x: !relax.tensor<[n, c], i32>, %y: !relax.tensor<[c], f32>, %z: !relax.tensor<[], i32>, %u: !relax.tensor<[], f32>, %v: !relax.tensor<[], ui8>) -> !relax.object {
  %r = relax.requantize %x, %y, %z, %u, %v {axis = 1 : i64, out_dtype = ui8} : (!relax.tensor<[n, c], i32>, !relax.tensor<[c], f32>, !relax.tensor<[], i32>, !relax.tensor<[], f32>, !relax.tensor<[], ui8>) -> !relax.tensor<[n, c], ui8>
  relax.return %r : !relax.tensor<[n, c], ui8>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.requantize %x, %y, %z, %u, %v : (!relax.tensor<*, i32>, !relax.tensor<*, f32>, !relax.tensor<[], i32>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*, i8>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, i32>, %y: !relax.tensor<*, f32>, %z: !relax.tensor<[], i32>, %u: !relax.tensor<[], f32>, %v: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.requantize %x, %y, %z, %u, %v : (!relax.tensor<*, i32>, !relax.tensor<*, f32>, !relax.tensor<[], i32>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*, i8>
  relax.return %r : !relax.tensor<*, i8>
}
