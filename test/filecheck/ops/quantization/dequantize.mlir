// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.dequantize %x, %y, %z : (!relax.tensor<[2, 3], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], i8>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.dequantize %x, %y, %z : (!relax.tensor<[2, 3], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @channels(
// CHECK-NEXT: %r = relax.dequantize %x, %y, %z {out_dtype = f16} : (!relax.tensor<[n, c], ui8>, !relax.tensor<[c], f16>, !relax.tensor<[c], ui8>) -> !relax.tensor<[n, c], f16>{{$}}
relax.func @channels(%x: !relax.tensor<[n, c], ui8>, %y: !relax.tensor<[c], f16>, %z: !relax.tensor<[c], ui8>) -> !relax.object {
  %r = relax.dequantize %x, %y, %z {out_dtype = f16} : (!relax.tensor<[n, c], ui8>, !relax.tensor<[c], f16>, !relax.tensor<[c], ui8>) -> !relax.tensor<[n, c], f16>
  relax.return %r : !relax.tensor<[n, c], f16>
}

// CHECK-LABEL: relax.func @sums(
// CHECK-NEXT: %r = relax.dequantize %x, %y, %z {axis = 0 : i64} : (!relax.tensor<[n, m], i32>, !relax.tensor<[n], f32>, !relax.tensor<[1], i32>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @sums(%x: !relax.tensor<[n, m], i32>, %y: !relax.tensor<[n], f32>, %z: !relax.tensor<[1], i32>) -> !relax.object {
  %r = relax.dequantize %x, %y, %z {axis = 0 : i64} : (!relax.tensor<[n, m], i32>, !relax.tensor<[n], f32>, !relax.tensor<[1], i32>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.dequantize %x, %y, %z : (!relax.tensor<*, i8>, !relax.tensor<[c], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, i8>, %y: !relax.tensor<[c], f32>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.dequantize %x, %y, %z : (!relax.tensor<*, i8>, !relax.tensor<[c], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
