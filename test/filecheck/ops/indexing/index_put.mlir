// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.index_put %a, %b, %c, %d : (!relax.tensor<[5, 6, 7], f32>, !relax.tensor<[2, 1], i64>, !relax.tensor<[3], i32>, !relax.tensor<[2, 3, 7], f32>) -> !relax.tensor<[5, 6, 7], f32>{{$}}
relax.func @static(%a: !relax.tensor<[5, 6, 7], f32>, %b: !relax.tensor<[2, 1], i64>, %c: !relax.tensor<[3], i32>, %d: !relax.tensor<[2, 3, 7], f32>) -> !relax.object {
  %r = relax.index_put %a, %b, %c, %d : (!relax.tensor<[5, 6, 7], f32>, !relax.tensor<[2, 1], i64>, !relax.tensor<[3], i32>, !relax.tensor<[2, 3, 7], f32>) -> !relax.tensor<[5, 6, 7], f32>
  relax.return %r : !relax.tensor<[5, 6, 7], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.index_put %a, %b, %c : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], i64>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @symbolic(%a: !relax.tensor<[n, m], f32>, %b: !relax.tensor<[k], i64>, %c: !relax.tensor<[m], f32>) -> !relax.object {
  %r = relax.index_put %a, %b, %c : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], i64>, !relax.tensor<[m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @accumulate(
// CHECK-NEXT: %r = relax.index_put %a, %b, %c {accumulate = true} : (!relax.tensor<[n], f16>, !relax.tensor<[k], i64>, !relax.tensor<[k], f16>) -> !relax.tensor<[n], f16>{{$}}
relax.func @accumulate(%a: !relax.tensor<[n], f16>, %b: !relax.tensor<[k], i64>, %c: !relax.tensor<[k], f16>) -> !relax.object {
  %r = relax.index_put %a, %b, %c {accumulate = true} : (!relax.tensor<[n], f16>, !relax.tensor<[k], i64>, !relax.tensor<[k], f16>) -> !relax.tensor<[n], f16>
  relax.return %r : !relax.tensor<[n], f16>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.index_put %a, %b, %c : (!relax.tensor<[?, 4]>, !relax.tensor<[?], i64>, !relax.tensor<[4], f32>) -> !relax.tensor<[?, 4]>{{$}}
relax.func @unknown_dim(%a: !relax.tensor<[?, 4]>, %b: !relax.tensor<[?], i64>, %c: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.index_put %a, %b, %c : (!relax.tensor<[?, 4]>, !relax.tensor<[?], i64>, !relax.tensor<[4], f32>) -> !relax.tensor<[?, 4]>
  relax.return %r : !relax.tensor<[?, 4]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.index_put %a, %b, %c : (!relax.tensor<*, f32>, !relax.tensor<[k], i64>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%a: !relax.tensor<*, f32>, %b: !relax.tensor<[k], i64>, %c: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.index_put %a, %b, %c : (!relax.tensor<*, f32>, !relax.tensor<[k], i64>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
