// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r0, %r1, %r2 = relax.dynamic_quantize %x : (!relax.tensor<[2, 3], f32>) -> (!relax.tensor<[2, 3], ui8>, !relax.tensor<[], f32>, !relax.tensor<[], ui8>){{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r0, %r1, %r2 = relax.dynamic_quantize %x : (!relax.tensor<[2, 3], f32>) -> (!relax.tensor<[2, 3], ui8>, !relax.tensor<[], f32>, !relax.tensor<[], ui8>)
  relax.return %r0 : !relax.tensor<[2, 3], ui8>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r0, %r1, %r2 = relax.dynamic_quantize %x : (!relax.tensor<[n, m, 2 * m], f16>) -> (!relax.tensor<[n, m, 2 * m], ui8>, !relax.tensor<[], f32>, !relax.tensor<[], ui8>){{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m, 2 * m], f16>) -> !relax.object {
  %r0, %r1, %r2 = relax.dynamic_quantize %x : (!relax.tensor<[n, m, 2 * m], f16>) -> (!relax.tensor<[n, m, 2 * m], ui8>, !relax.tensor<[], f32>, !relax.tensor<[], ui8>)
  relax.return %r0 : !relax.tensor<[n, m, 2 * m], ui8>
}

// CHECK-LABEL: relax.func @wide(
// CHECK-NEXT: %r0, %r1, %r2 = relax.dynamic_quantize %x : (!relax.tensor<[?], f64>) -> (!relax.tensor<[?], ui8>, !relax.tensor<[], f64>, !relax.tensor<[], ui8>){{$}}
relax.func @wide(%x: !relax.tensor<[?], f64>) -> !relax.object {
  %r0, %r1, %r2 = relax.dynamic_quantize %x : (!relax.tensor<[?], f64>) -> (!relax.tensor<[?], ui8>, !relax.tensor<[], f64>, !relax.tensor<[], ui8>)
  relax.return %r0 : !relax.tensor<[?], ui8>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r0, %r1, %r2 = relax.dynamic_quantize %x : (!relax.tensor<*>) -> (!relax.tensor<*, ui8>, !relax.tensor<[]>, !relax.tensor<[], ui8>){{$}}
relax.func @unknown(%x: !relax.tensor<*>) -> !relax.object {
  %r0, %r1, %r2 = relax.dynamic_quantize %x : (!relax.tensor<*>) -> (!relax.tensor<*, ui8>, !relax.tensor<[]>, !relax.tensor<[], ui8>)
  relax.return %r0 : !relax.tensor<*, ui8>
}
