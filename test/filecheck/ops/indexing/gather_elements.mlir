// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.gather_elements %a, %b : (!relax.tensor<[5, 3], f32>, !relax.tensor<[2, 3], i64>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%a: !relax.tensor<[5, 3], f32>, %b: !relax.tensor<[2, 3], i64>) -> !relax.object {
  %r = relax.gather_elements %a, %b : (!relax.tensor<[5, 3], f32>, !relax.tensor<[2, 3], i64>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.gather_elements %a, %b {axis = -1 : i64} : (!relax.tensor<[n, m], i1>, !relax.tensor<[n, k], i32>) -> !relax.tensor<[n, k], i1>{{$}}
relax.func @symbolic(%a: !relax.tensor<[n, m], i1>, %b: !relax.tensor<[n, k], i32>) -> !relax.object {
  %r = relax.gather_elements %a, %b {axis = -1 : i64} : (!relax.tensor<[n, m], i1>, !relax.tensor<[n, k], i32>) -> !relax.tensor<[n, k], i1>
  relax.return %r : !relax.tensor<[n, k], i1>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.gather_elements %a, %b : (!relax.tensor<[?, 4]>, !relax.tensor<[k, ?], i64>) -> !relax.tensor<[k, ?]>{{$}}
relax.func @unknown_dim(%a: !relax.tensor<[?, 4]>, %b: !relax.tensor<[k, ?], i64>) -> !relax.object {
  %r = relax.gather_elements %a, %b : (!relax.tensor<[?, 4]>, !relax.tensor<[k, ?], i64>) -> !relax.tensor<[k, ?]>
  relax.return %r : !relax.tensor<[k, ?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.gather_elements %a, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<*, i64>) -> !relax.tensor<[?, ?], f32>{{$}}
relax.func @unknown_rank(%a: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<*, i64>) -> !relax.object {
  %r = relax.gather_elements %a, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<*, i64>) -> !relax.tensor<[?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_ranks(
// CHECK-NEXT: %r = relax.gather_elements %a, %b : (!relax.tensor<*, f32>, !relax.tensor<*, i64>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_ranks(%a: !relax.tensor<*, f32>, %b: !relax.tensor<*, i64>) -> !relax.object {
  %r = relax.gather_elements %a, %b : (!relax.tensor<*, f32>, !relax.tensor<*, i64>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
