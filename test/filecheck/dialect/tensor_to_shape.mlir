// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.tensor_to_shape %x : (!relax.tensor<[3], i64>) -> !relax.shape<[?, ?, ?]>{{$}}
relax.func @static(%x: !relax.tensor<[3], i64>) -> !relax.object {
  %r = relax.tensor_to_shape %x : (!relax.tensor<[3], i64>) -> !relax.shape<[?, ?, ?]>
  relax.return %r : !relax.shape<[?, ?, ?]>
}

// CHECK-LABEL: relax.func @empty(
// CHECK-NEXT: %r = relax.tensor_to_shape %x : (!relax.tensor<[0], i64>) -> !relax.shape<[]>{{$}}
relax.func @empty(%x: !relax.tensor<[0], i64>) -> !relax.object {
  %r = relax.tensor_to_shape %x : (!relax.tensor<[0], i64>) -> !relax.shape<[]>
  relax.return %r : !relax.shape<[]>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.tensor_to_shape %x : (!relax.tensor<[n], i64>) -> !relax.shape<*>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n], i64>) -> !relax.object {
  %r = relax.tensor_to_shape %x : (!relax.tensor<[n], i64>) -> !relax.shape<*>
  relax.return %r : !relax.shape<*>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.tensor_to_shape %x : (!relax.tensor<[?], i64>) -> !relax.shape<*>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?], i64>) -> !relax.object {
  %r = relax.tensor_to_shape %x : (!relax.tensor<[?], i64>) -> !relax.shape<*>
  relax.return %r : !relax.shape<*>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.tensor_to_shape %x : (!relax.tensor<*>) -> !relax.shape<*>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*>) -> !relax.object {
  %r = relax.tensor_to_shape %x : (!relax.tensor<*>) -> !relax.shape<*>
  relax.return %r : !relax.shape<*>
}
