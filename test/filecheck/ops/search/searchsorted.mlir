// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @one_row(
// CHECK-NEXT: %r = relax.searchsorted %x, %y : (!relax.tensor<[k], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], i64>{{$}}
relax.func @one_row(%x: !relax.tensor<[k], f32>, %y: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.searchsorted %x, %y : (!relax.tensor<[k], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], i64>
  relax.return %r : !relax.tensor<[n, m], i64>
}

// CHECK-LABEL: relax.func @rows(
// CHECK-NEXT: %r = relax.searchsorted %x, %y {right = true} : (!relax.tensor<[n, k], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], i64>{{$}}
relax.func @rows(%x: !relax.tensor<[n, k], f32>, %y: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.searchsorted %x, %y {right = true} : (!relax.tensor<[n, k], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], i64>
  relax.return %r : !relax.tensor<[n, m], i64>
}

// CHECK-LABEL: relax.func @small(
// CHECK-NEXT: %r = relax.searchsorted %x, %y {out_int32 = true} : (!relax.tensor<[2, 8], i64>, !relax.tensor<[2, 3], i64>) -> !relax.tensor<[2, 3], i32>{{$}}
relax.func @small(%x: !relax.tensor<[2, 8], i64>, %y: !relax.tensor<[2, 3], i64>) -> !relax.object {
  %r = relax.searchsorted %x, %y {out_int32 = true} : (!relax.tensor<[2, 8], i64>, !relax.tensor<[2, 3], i64>) -> !relax.tensor<[2, 3], i32>
  relax.return %r : !relax.tensor<[2, 3], i32>
}

// CHECK-LABEL: relax.func @checked(
// CHECK-NEXT: %r = relax.searchsorted %x, %y : (!relax.tensor<[a, k], f32>, !relax.tensor<[b, m], f32>) -> !relax.tensor<[b, m], i64>{{$}}
relax.func @checked(%x: !relax.tensor<[a, k], f32>, %y: !relax.tensor<[b, m], f32>) -> !relax.object {
  %r = relax.searchsorted %x, %y : (!relax.tensor<[a, k], f32>, !relax.tensor<[b, m], f32>) -> !relax.tensor<[b, m], i64>
  relax.return %r : !relax.tensor<[b, m], i64>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.searchsorted %x, %y : (!relax.tensor<[?, 4], f32>, !relax.tensor<[2, ?], f32>) -> !relax.tensor<[2, ?], i64>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], f32>, %y: !relax.tensor<[2, ?], f32>) -> !relax.object {
  %r = relax.searchsorted %x, %y : (!relax.tensor<[?, 4], f32>, !relax.tensor<[2, ?], f32>) -> !relax.tensor<[2, ?], i64>
  relax.return %r : !relax.tensor<[2, ?], i64>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.searchsorted %x, %y : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, i64>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.searchsorted %x, %y : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, i64>
  relax.return %r : !relax.tensor<*, i64>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.searchsorted %x, %y : (!relax.tensor<[k]>, !relax.tensor<[n]>) -> !relax.tensor<[n], i64>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[k]>, %y: !relax.tensor<[n]>) -> !relax.object {
  %r = relax.searchsorted %x, %y : (!relax.tensor<[k]>, !relax.tensor<[n]>) -> !relax.tensor<[n], i64>
  relax.return %r : !relax.tensor<[n], i64>
}
