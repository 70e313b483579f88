// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.zeros %x {dtype = f32} : (!relax.shape<[2, 3]>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.shape<[2, 3]>) -> !relax.object {
  %r = relax.zeros %x {dtype = f32} : (!relax.shape<[2, 3]>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.zeros %x {dtype = i1} : (!relax.shape<[n, n + 1]>) -> !relax.tensor<[n, n + 1], i1>{{$}}
relax.func @symbolic(%x: !relax.shape<[n, n + 1]>) -> !relax.object {
  %r = relax.zeros %x {dtype = i1} : (!relax.shape<[n, n + 1]>) -> !relax.tensor<[n, n + 1], i1>
  relax.return %r : !relax.tensor<[n, n + 1], i1>
}

// CHECK-LABEL: relax.func @scalar(
// CHECK-NEXT: %r = relax.zeros %x {dtype = bf16} : (!relax.shape<[]>) -> !relax.tensor<[], bf16>{{$}}
relax.func @scalar(%x: !relax.shape<[]>) -> !relax.object {
  %r = relax.zeros %x {dtype = bf16} : (!relax.shape<[]>) -> !relax.tensor<[], bf16>
  relax.return %r : !relax.tensor<[], bf16>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.zeros %x {dtype = ui8} : (!relax.shape<[?]>) -> !relax.tensor<[?], ui8>{{$}}
relax.func @unknown(%x: !relax.shape<[?]>) -> !relax.object {
  %r = relax.zeros %x {dtype = ui8} : (!relax.shape<[?]>) -> !relax.tensor<[?], ui8>
  relax.return %r : !relax.tensor<[?], ui8>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.zeros %x {dtype = f32} : (!relax.shape<*>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.shape<*>) -> !relax.object {
  %r = relax.zeros %x {dtype = f32} : (!relax.shape<*>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
