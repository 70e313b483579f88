// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @vector(
// CHECK-NEXT: %r = relax.nonzero %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[1, ?], i64>{{$}}
relax.func @vector(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.nonzero %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[1, ?], i64>
  relax.return %r : !relax.tensor<[1, ?], i64>
}

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.nonzero %x : (!relax.tensor<[2, 3, 4], i1>) -> !relax.tensor<[3, ?], i64>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3, 4], i1>) -> !relax.object {
  %r = relax.nonzero %x : (!relax.tensor<[2, 3, 4], i1>) -> !relax.tensor<[3, ?], i64>
  relax.return %r : !relax.tensor<[3, ?], i64>
}

// CHECK-LABEL: relax.func @scalar(
// CHECK-NEXT: %r = relax.nonzero %x : (!relax.tensor<[], i64>) -> !relax.tensor<[1, ?], i64>{{$}}
relax.func @scalar(%x: !relax.tensor<[], i64>) -> !relax.object {
  %r = relax.nonzero %x : (!relax.tensor<[], i64>) -> !relax.tensor<[1, ?], i64>
  relax.return %r : !relax.tensor<[1, ?], i64>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.nonzero %x : (!relax.tensor<[?, ?], f32>) -> !relax.tensor<[2, ?], i64>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, ?], f32>) -> !relax.object {
  %r = relax.nonzero %x : (!relax.tensor<[?, ?], f32>) -> !relax.tensor<[2, ?], i64>
  relax.return %r : !relax.tensor<[2, ?], i64>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.nonzero %x : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], i64>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.nonzero %x : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], i64>
  relax.return %r : !relax.tensor<[?, ?], i64>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.nonzero %x : (!relax.tensor<[n, m]>) -> !relax.tensor<[2, ?], i64>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, m]>) -> !relax.object {
  %r = relax.nonzero %x : (!relax.tensor<[n, m]>) -> !relax.tensor<[2, ?], i64>
  relax.return %r : !relax.tensor<[2, ?], i64>
}
