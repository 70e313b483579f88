// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @wide(
// CHECK-NEXT: %r = relax.bucketize %x, %y : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[n, m], i64>{{$}}
relax.func @wide(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.bucketize %x, %y : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[n, m], i64>
  relax.return %r : !relax.tensor<[n, m], i64>
}

// CHECK-LABEL: relax.func @small(
// CHECK-NEXT: %r = relax.bucketize %x, %y {out_int32 = true, right = true} : (!relax.tensor<[n], i8>, !relax.tensor<[4], i8>) -> !relax.tensor<[n], i32>{{$}}
relax.func @small(%x: !relax.tensor<[n], i8>, %y: !relax.tensor<[4], i8>) -> !relax.object {
  %r = relax.bucketize %x, %y {out_int32 = true, right = true} : (!relax.tensor<[n], i8>, !relax.tensor<[4], i8>) -> !relax.tensor<[n], i32>
  relax.return %r : !relax.tensor<[n], i32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.bucketize %x, %y {right = true} : (!relax.tensor<[?, 3], f32>, !relax.tensor<[?], f32>) -> !relax.tensor<[?, 3], i64>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 3], f32>, %y: !relax.tensor<[?], f32>) -> !relax.object {
  %r = relax.bucketize %x, %y {right = true} : (!relax.tensor<[?, 3], f32>, !relax.tensor<[?], f32>) -> !relax.tensor<[?, 3], i64>
  relax.return %r : !relax.tensor<[?, 3], i64>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.bucketize %x, %y : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, i64>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.bucketize %x, %y : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, i64>
  relax.return %r : !relax.tensor<*, i64>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.bucketize %x, %y : (!relax.tensor<[n]>, !relax.tensor<[k]>) -> !relax.tensor<[n], i64>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>, %y: !relax.tensor<[k]>) -> !relax.object {
  %r = relax.bucketize %x, %y : (!relax.tensor<[n]>, !relax.tensor<[k]>) -> !relax.tensor<[n], i64>
  relax.return %r : !relax.tensor<[n], i64>
}
