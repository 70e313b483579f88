// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.full %x, %y : (!relax.shape<[2, 3]>, !relax.tensor<[], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
// GENERIC: %r = "relax.full"(%x, %y) : (!relax.shape<[2, 3]>, !relax.tensor<[], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.shape<[2, 3]>, %y: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.full %x, %y : (!relax.shape<[2, 3]>, !relax.tensor<[], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.full %x, %y {dtype = f16} : (!relax.shape<[n, 2 * m]>, !relax.tensor<[], i64>) -> !relax.tensor<[n, 2 * m], f16>{{$}}
// GENERIC: %r = "relax.full"(%x, %y) <{dtype = f16}> : (!relax.shape<[n, 2 * m]>, !relax.tensor<[], i64>) -> !relax.tensor<[n, 2 * m], f16>{{$}}
relax.func @symbolic(%x: !relax.shape<[n, 2 * m]>, %y: !relax.tensor<[], i64>, %sizes: !relax.shape<[m]>) -> !relax.object {
  %r = relax.full %x, %y {dtype = f16} : (!relax.shape<[n, 2 * m]>, !relax.tensor<[], i64>) -> !relax.tensor<[n, 2 * m], f16>
  relax.return %r : !relax.tensor<[n, 2 * m], f16>
}

// CHECK-LABEL: relax.func @scalar(
// CHECK-NEXT: %r = relax.full %x, %y : (!relax.shape<[]>, !relax.tensor<[], i1>) -> !relax.tensor<[], i1>{{$}}
// GENERIC: %r = "relax.full"(%x, %y) : (!relax.shape<[]>, !relax.tensor<[], i1>) -> !relax.tensor<[], i1>{{$}}
relax.func @scalar(%x: !relax.shape<[]>, %y: !relax.tensor<[], i1>) -> !relax.object {
  %r = relax.full %x, %y : (!relax.shape<[]>, !relax.tensor<[], i1>) -> !relax.tensor<[], i1>
  relax.return %r : !relax.tensor<[], i1>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.full %x, %y : (!relax.shape<[n, ?]>, !relax.tensor<[]>) -> !relax.tensor<[n, ?]>{{$}}
// GENERIC: %r = "relax.full"(%x, %y) : (!relax.shape<[n, ?]>, !relax.tensor<[]>) -> !relax.tensor<[n, ?]>{{$}}
relax.func @unknown(%x: !relax.shape<[n, ?]>, %y: !relax.tensor<[]>) -> !relax.object {
  %r = relax.full %x, %y : (!relax.shape<[n, ?]>, !relax.tensor<[]>) -> !relax.tensor<[n, ?]>
  relax.return %r : !relax.tensor<[n, ?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.full %x, %y : (!relax.shape<*>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.full"(%x, %y) : (!relax.shape<*>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.shape<*>, %y: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.full %x, %y : (!relax.shape<*>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
