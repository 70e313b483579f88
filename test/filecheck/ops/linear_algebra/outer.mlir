// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.outer %x, %y : (!relax.tensor<[2], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2], f32>, %y: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.outer %x, %y : (!relax.tensor<[2], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.outer %x, %y : (!relax.tensor<[n + 1], i64>, !relax.tensor<[n], i64>) -> !relax.tensor<[n + 1, n], i64>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n + 1], i64>, %y: !relax.tensor<[n], i64>) -> !relax.object {
  %r = relax.outer %x, %y : (!relax.tensor<[n + 1], i64>, !relax.tensor<[n], i64>) -> !relax.tensor<[n + 1, n], i64>
  relax.return %r : !relax.tensor<[n + 1, n], i64>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.outer %x, %y : (!relax.tensor<[?], f32>, !relax.tensor<*, f32>) -> !relax.tensor<[?, ?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?], f32>, %y: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.outer %x, %y : (!relax.tensor<[?], f32>, !relax.tensor<*, f32>) -> !relax.tensor<[?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.outer %x, %y : (!relax.tensor<[n]>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>, %y: !relax.tensor<[m], f32>) -> !relax.object {
  %r = relax.outer %x, %y : (!relax.tensor<[n]>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m]>
  relax.return %r : !relax.tensor<[n, m]>
}
