// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.dynamic_strided_slice %a, %b, %c, %d : (!relax.tensor<[4, 5], f32>, !relax.tensor<[2], i64>, !relax.tensor<[2], i64>, !relax.tensor<[2], i64>) -> !relax.tensor<[?, ?], f32>{{$}}
relax.func @static(%a: !relax.tensor<[4, 5], f32>, %b: !relax.tensor<[2], i64>, %c: !relax.tensor<[2], i64>, %d: !relax.tensor<[2], i64>) -> !relax.object {
  %r = relax.dynamic_strided_slice %a, %b, %c, %d : (!relax.tensor<[4, 5], f32>, !relax.tensor<[2], i64>, !relax.tensor<[2], i64>, !relax.tensor<[2], i64>) -> !relax.tensor<[?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.dynamic_strided_slice %a, %b, %c, %d : (!relax.tensor<[n], i8>, !relax.tensor<[1], i32>, !relax.tensor<[1], i32>, !relax.tensor<[1], i32>) -> !relax.tensor<[?], i8>{{$}}
relax.func @symbolic(%a: !relax.tensor<[n], i8>, %b: !relax.tensor<[1], i32>, %c: !relax.tensor<[1], i32>, %d: !relax.tensor<[1], i32>) -> !relax.object {
  %r = relax.dynamic_strided_slice %a, %b, %c, %d : (!relax.tensor<[n], i8>, !relax.tensor<[1], i32>, !relax.tensor<[1], i32>, !relax.tensor<[1], i32>) -> !relax.tensor<[?], i8>
  relax.return %r : !relax.tensor<[?], i8>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.dynamic_strided_slice %a, %b, %c, %d : (!relax.tensor<[?, 5]>, !relax.tensor<[?], i64>, !relax.tensor<[2]>, !relax.tensor<*, i64>) -> !relax.tensor<[?, ?]>{{$}}
relax.func @unknown_dim(%a: !relax.tensor<[?, 5]>, %b: !relax.tensor<[?], i64>, %c: !relax.tensor<[2]>, %d: !relax.tensor<*, i64>) -> !relax.object {
  %r = relax.dynamic_strided_slice %a, %b, %c, %d : (!relax.tensor<[?, 5]>, !relax.tensor<[?], i64>, !relax.tensor<[2]>, !relax.tensor<*, i64>) -> !relax.tensor<[?, ?]>
  relax.return %r : !relax.tensor<[?, ?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.dynamic_strided_slice %a, %b, %c, %d : (!relax.tensor<*, f32>, !relax.tensor<[2], i64>, !relax.tensor<[2], i64>, !relax.tensor<[2], i64>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%a: !relax.tensor<*, f32>, %b: !relax.tensor<[2], i64>, %c: !relax.tensor<[2], i64>, %d: !relax.tensor<[2], i64>) -> !relax.object {
  %r = relax.dynamic_strided_slice %a, %b, %c, %d : (!relax.tensor<*, f32>, !relax.tensor<[2], i64>, !relax.tensor<[2], i64>, !relax.tensor<[2], i64>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
