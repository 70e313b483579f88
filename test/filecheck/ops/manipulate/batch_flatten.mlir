// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.batch_flatten %x : (!relax.tensor<[2, 3, 4], f32>) -> !relax.tensor<[2, 12], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3, 4], f32>) -> !relax.object {
  %r = relax.batch_flatten %x : (!relax.tensor<[2, 3, 4], f32>) -> !relax.tensor<[2, 12], f32>
  relax.return %r : !relax.tensor<[2, 12], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.batch_flatten %x : (!relax.tensor<[n, c, h], f32>) -> !relax.tensor<[n, c * h], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, c, h], f32>) -> !relax.object {
  %r = relax.batch_flatten %x : (!relax.tensor<[n, c, h], f32>) -> !relax.tensor<[n, c * h], f32>
  relax.return %r : !relax.tensor<[n, c * h], f32>
}

// CHECK-LABEL: relax.func @vector(
// CHECK-NEXT: %r = relax.batch_flatten %x : (!relax.tensor<[n], i8>) -> !relax.tensor<[n, 1], i8>{{$}}
relax.func @vector(%x: !relax.tensor<[n], i8>) -> !relax.object {
  %r = relax.batch_flatten %x : (!relax.tensor<[n], i8>) -> !relax.tensor<[n, 1], i8>
  relax.return %r : !relax.tensor<[n, 1], i8>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.batch_flatten %x : (!relax.tensor<[n, ?, 4], f32>) -> !relax.tensor<[n, ?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[n, ?, 4], f32>) -> !relax.object {
  %r = relax.batch_flatten %x : (!relax.tensor<[n, ?, 4], f32>) -> !relax.tensor<[n, ?], f32>
  relax.return %r : !relax.tensor<[n, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.batch_flatten %x : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.batch_flatten %x : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.batch_flatten %x : (!relax.tensor<[n, 2, m]>) -> !relax.tensor<[n, 2 * m]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, 2, m]>) -> !relax.object {
  %r = relax.batch_flatten %x : (!relax.tensor<[n, 2, m]>) -> !relax.tensor<[n, 2 * m]>
  relax.return %r : !relax.tensor<[n, 2 * m]>
}
