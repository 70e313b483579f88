// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.quantize %x, %y, %z : (!relax.tensor<[2, 3], f32>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<[2, 3], i8>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.quantize %x, %y, %z : (!relax.tensor<[2, 3], f32>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<[2, 3], i8>
  relax.return %r : !relax.tensor<[2, 3], i8>
}

// CHECK-LABEL: relax.func @channels(
// CHECK-NEXT: %r = relax.quantize %x, %y, %z {axis = 1 : i64, out_dtype = ui8} : (!relax.tensor<[n, c, h], f16>, !relax.tensor<[c], f32>, !relax.tensor<[c], ui8>) -> !relax.tensor<[n, c, h], ui8>{{$}}
relax.func @channels(%x: !relax.tensor<[n, c, h], f16>, %y: !relax.tensor<[c], f32>, %z: !relax.tensor<[c], ui8>) -> !relax.object {
  %r = relax.quantize %x, %y, %z {axis = 1 : i64, out_dtype = ui8} : (!relax.tensor<[n, c, h], f16>, !relax.tensor<[c], f32>, !relax.tensor<[c], ui8>) -> !relax.tensor<[n, c, h], ui8>
  relax.return %r : !relax.tensor<[n, c, h], ui8>
}

// CHECK-LABEL: relax.func @one_for_all(
// CHECK-NEXT: %r = relax.quantize %x, %y, %z {out_dtype = i16} : (!relax.tensor<[n], f64>, !relax.tensor<[1], f64>, !relax.tensor<[], i32>) -> !relax.tensor<[n], i16>{{$}}
relax.func @one_for_all(%x: !relax.tensor<[n], f64>, %y: !relax.tensor<[1], f64>, %z: !relax.tensor<[], i32>) -> !relax.object {
  %r = relax.quantize %x, %y, %z {out_dtype = i16} : (!relax.tensor<[n], f64>, !relax.tensor<[1], f64>, !relax.tensor<[], i32>) -> !relax.tensor<[n], i16>
  relax.return %r : !relax.tensor<[n], i16>
}

// CHECK-LABEL: relax.func @sizes_to_be_checked(
// CHECK-NEXT: %r = relax.quantize %x, %y, %z {axis = 0 : i64} : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], f32>, !relax.tensor<[k], i8>) -> !relax.tensor<[n, m], i8>{{$}}
relax.func @sizes_to_be_checked(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[k], f32>, %z: !relax.tensor<[k], i8>) -> !relax.object {
  %r = relax.quantize %x, %y, %z {axis = 0 : i64} : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], f32>, !relax.tensor<[k], i8>) -> !relax.tensor<[n, m], i8>
  relax.return %r : !relax.tensor<[n, m], i8>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.quantize %x, %y, %z : (!relax.tensor<*, f32>, !relax.tensor<[c], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*, i8>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[c], f32>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.quantize %x, %y, %z : (!relax.tensor<*, f32>, !relax.tensor<[c], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*, i8>
  relax.return %r : !relax.tensor<*, i8>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.quantize %x, %y, %z : (!relax.tensor<[n, ?]>, !relax.tensor<*>, !relax.tensor<*>) -> !relax.tensor<[n, ?], i8>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, ?]>, %y: !relax.tensor<*>, %z: !relax.tensor<*>) -> !relax.object {
  %r = relax.quantize %x, %y, %z : (!relax.tensor<[n, ?]>, !relax.tensor<*>, !relax.tensor<*>) -> !relax.tensor<[n, ?], i8>
  relax.return %r : !relax.tensor<[n, ?], i8>
}
