// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.gather_nd %a, %b : (!relax.tensor<[4, 5, 6], f32>, !relax.tensor<[2, 2], i64>) -> !relax.tensor<[2, 6], f32>{{$}}
relax.func @static(%a: !relax.tensor<[4, 5, 6], f32>, %b: !relax.tensor<[2, 2], i64>) -> !relax.object {
  %r = relax.gather_nd %a, %b : (!relax.tensor<[4, 5, 6], f32>, !relax.tensor<[2, 2], i64>) -> !relax.tensor<[2, 6], f32>
  relax.return %r : !relax.tensor<[2, 6], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.gather_nd %a, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[k, b, 1], i32>) -> !relax.tensor<[k, b, m], f32>{{$}}
relax.func @symbolic(%a: !relax.tensor<[n, m], f32>, %b: !relax.tensor<[k, b, 1], i32>) -> !relax.object {
  %r = relax.gather_nd %a, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[k, b, 1], i32>) -> !relax.tensor<[k, b, m], f32>
  relax.return %r : !relax.tensor<[k, b, m], f32>
}

// CHECK-LABEL: relax.func @batch(
// CHECK-NEXT: %r = relax.gather_nd %a, %b {batch_dims = 1 : i64} : (!relax.tensor<[b, n, m], f32>, !relax.tensor<[b, k, 1], i64>) -> !relax.tensor<[b, k, m], f32>{{$}}
relax.func @batch(%a: !relax.tensor<[b, n, m], f32>, %b: !relax.tensor<[b, k, 1], i64>) -> !relax.object {
  %r = relax.gather_nd %a, %b {batch_dims = 1 : i64} : (!relax.tensor<[b, n, m], f32>, !relax.tensor<[b, k, 1], i64>) -> !relax.tensor<[b, k, m], f32>
  relax.return %r : !relax.tensor<[b, k, m], f32>
}

// CHECK-LABEL: relax.func @whole(
// CHECK-NEXT: %r = relax.gather_nd %a, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[k, 0], i64>) -> !relax.tensor<[k, n, m], f32>{{$}}
relax.func @whole(%a: !relax.tensor<[n, m], f32>, %b: !relax.tensor<[k, 0], i64>) -> !relax.object {
  %r = relax.gather_nd %a, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[k, 0], i64>) -> !relax.tensor<[k, n, m], f32>
  relax.return %r : !relax.tensor<[k, n, m], f32>
}

// CHECK-LABEL: relax.func @unknown_depth(
// CHECK-NEXT: %r = relax.gather_nd %a, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[k, ?], i64>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_depth(%a: !relax.tensor<[n, m], f32>, %b: !relax.tensor<[k, ?], i64>) -> !relax.object {
  %r = relax.gather_nd %a, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[k, ?], i64>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.gather_nd %a, %b : (!relax.tensor<[?, 4]>, !relax.tensor<[?, 1], i64>) -> !relax.tensor<[?, 4]>{{$}}
relax.func @unknown_dim(%a: !relax.tensor<[?, 4]>, %b: !relax.tensor<[?, 1], i64>) -> !relax.object {
  %r = relax.gather_nd %a, %b : (!relax.tensor<[?, 4]>, !relax.tensor<[?, 1], i64>) -> !relax.tensor<[?, 4]>
  relax.return %r : !relax.tensor<[?, 4]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.gather_nd %a, %b : (!relax.tensor<*, f32>, !relax.tensor<[k, 1], i64>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%a: !relax.tensor<*, f32>, %b: !relax.tensor<[k, 1], i64>) -> !relax.object {
  %r = relax.gather_nd %a, %b : (!relax.tensor<*, f32>, !relax.tensor<[k, 1], i64>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
