// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.cosine_similarity %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.cosine_similarity %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2], f32>
  relax.return %r : !relax.tensor<[2], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.cosine_similarity %x, %y {axis = -1 : i64, eps = 1.000000e-02 : f64} : (!relax.tensor<[n, m, k], f64>, !relax.tensor<[n, m, k], f64>) -> !relax.tensor<[n, m], f64>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m, k], f64>, %y: !relax.tensor<[n, m, k], f64>) -> !relax.object {
  %r = relax.cosine_similarity %x, %y {axis = -1 : i64, eps = 1.000000e-02 : f64} : (!relax.tensor<[n, m, k], f64>, !relax.tensor<[n, m, k], f64>) -> !relax.tensor<[n, m], f64>
  relax.return %r : !relax.tensor<[n, m], f64>
}

// CHECK-LABEL: relax.func @first(
// CHECK-NEXT: %r = relax.cosine_similarity %x, %y {axis = 0 : i64} : (!relax.tensor<[n, m], f16>, !relax.tensor<[n, m], f16>) -> !relax.tensor<[m], f16>{{$}}
relax.func @first(%x: !relax.tensor<[n, m], f16>, %y: !relax.tensor<[n, m], f16>) -> !relax.object {
  %r = relax.cosine_similarity %x, %y {axis = 0 : i64} : (!relax.tensor<[n, m], f16>, !relax.tensor<[n, m], f16>) -> !relax.tensor<[m], f16>
  relax.return %r : !relax.tensor<[m], f16>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.cosine_similarity %x, %y : (!relax.tensor<[?, 3], f32>, !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 3], f32>, %y: !relax.tensor<[n, 3], f32>) -> !relax.object {
  %r = relax.cosine_similarity %x, %y : (!relax.tensor<[?, 3], f32>, !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.cosine_similarity %x, %y : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.cosine_similarity %x, %y : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
