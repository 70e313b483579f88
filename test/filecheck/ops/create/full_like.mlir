// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.full_like %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[], i64>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[], i64>) -> !relax.object {
  %r = relax.full_like %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[], i64>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @dtype(
// CHECK-NEXT: %r = relax.full_like %x, %y {dtype = i8} : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n], i8>{{$}}
relax.func @dtype(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.full_like %x, %y {dtype = i8} : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n], i8>
  relax.return %r : !relax.tensor<[n], i8>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.full_like %x, %y : (!relax.tensor<[n, ?]>, !relax.tensor<[], f32>) -> !relax.tensor<[n, ?]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, ?]>, %y: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.full_like %x, %y : (!relax.tensor<[n, ?]>, !relax.tensor<[], f32>) -> !relax.tensor<[n, ?]>
  relax.return %r : !relax.tensor<[n, ?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.full_like %x, %y : (!relax.tensor<*, f32>, !relax.tensor<[], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.full_like %x, %y : (!relax.tensor<*, f32>, !relax.tensor<[], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
