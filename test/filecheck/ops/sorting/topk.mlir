// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @default(
// CHECK-NEXT: %r0, %r1 = relax.topk %x : (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<[n, 1], f32>, !relax.tensor<[n, 1], i32>){{$}}
relax.func @default(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r0, %r1 = relax.topk %x : (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<[n, 1], f32>, !relax.tensor<[n, 1], i32>)
  relax.return %r0 : !relax.tensor<[n, 1], f32>
}

// CHECK-LABEL: relax.func @both(
// CHECK-NEXT: %r0, %r1 = relax.topk %x {k = 3 : i64, ret_type = "both", dtype = i64, axis = 1 : i64} : (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 3], i64>){{$}}
relax.func @both(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r0, %r1 = relax.topk %x {k = 3 : i64, ret_type = "both", dtype = i64, axis = 1 : i64} : (!relax.tensor<[n, 4], f32>) -> (!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 3], i64>)
  relax.return %r0 : !relax.tensor<[n, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.topk %x {k = 3 : i64, ret_type = "values", largest = false, axis = 0 : i64} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[3, m], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.topk %x {k = 3 : i64, ret_type = "values", largest = false, axis = 0 : i64} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[3, m], f32>
  relax.return %r : !relax.tensor<[3, m], f32>
}

// CHECK-LABEL: relax.func @more_than_there_are(
// CHECK-NEXT: %r = relax.topk %x {k = 4 : i64, ret_type = "indices"} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], i32>{{$}}
relax.func @more_than_there_are(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.topk %x {k = 4 : i64, ret_type = "indices"} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], i32>
  relax.return %r : !relax.tensor<[n, 4], i32>
}

// CHECK-LABEL: relax.func @all(
// CHECK-NEXT: %r0, %r1 = relax.topk %x {k = 0 : i64} : (!relax.tensor<[n, m], i8>) -> (!relax.tensor<[n, m], i8>, !relax.tensor<[n, m], i32>){{$}}
relax.func @all(%x: !relax.tensor<[n, m], i8>) -> !relax.object {
  %r0, %r1 = relax.topk %x {k = 0 : i64} : (!relax.tensor<[n, m], i8>) -> (!relax.tensor<[n, m], i8>, !relax.tensor<[n, m], i32>)
  relax.return %r0 : !relax.tensor<[n, m], i8>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r0, %r1 = relax.topk %x {k = 2 : i64} : (!relax.tensor<[3, ?], f32>) -> (!relax.tensor<[3, 2], f32>, !relax.tensor<[3, 2], i32>){{$}}
relax.func @unknown_dim(%x: !relax.tensor<[3, ?], f32>) -> !relax.object {
  %r0, %r1 = relax.topk %x {k = 2 : i64} : (!relax.tensor<[3, ?], f32>) -> (!relax.tensor<[3, 2], f32>, !relax.tensor<[3, 2], i32>)
  relax.return %r0 : !relax.tensor<[3, 2], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r0, %r1 = relax.topk %x {k = 2 : i64} : (!relax.tensor<*, f32>) -> (!relax.tensor<*, f32>, !relax.tensor<*, i32>){{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r0, %r1 = relax.topk %x {k = 2 : i64} : (!relax.tensor<*, f32>) -> (!relax.tensor<*, f32>, !relax.tensor<*, i32>)
  relax.return %r0 : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r0, %r1 = relax.topk %x {k = 2 : i64, axis = -1 : i64} : (!relax.tensor<[n, 5]>) -> (!relax.tensor<[n, 2]>, !relax.tensor<[n, 2], i32>){{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, 5]>) -> !relax.object {
  %r0, %r1 = relax.topk %x {k = 2 : i64, axis = -1 : i64} : (!relax.tensor<[n, 5]>) -> (!relax.tensor<[n, 2]>, !relax.tensor<[n, 2], i32>)
  relax.return %r0 : !relax.tensor<[n, 2]>
}
