// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.ewise_fma %x, %y, %z : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[2, 3], f32>, %z: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.ewise_fma %x, %y, %z : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @broadcast(
// CHECK-NEXT: %r = relax.ewise_fma %x, %y, %z : (!relax.tensor<[n, 1], i64>, !relax.tensor<[m], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[n, m], i64>{{$}}
relax.func @broadcast(%x: !relax.tensor<[n, 1], i64>, %y: !relax.tensor<[m], i64>, %z: !relax.tensor<[], i64>) -> !relax.object {
  %r = relax.ewise_fma %x, %y, %z : (!relax.tensor<[n, 1], i64>, !relax.tensor<[m], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[n, m], i64>
  relax.return %r : !relax.tensor<[n, m], i64>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.ewise_fma %x, %y, %z : (!relax.tensor<[?]>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[?]>{{$}}
relax.func @unknown(%x: !relax.tensor<[?]>, %y: !relax.tensor<[n], f32>, %z: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.ewise_fma %x, %y, %z : (!relax.tensor<[?]>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[?]>
  relax.return %r : !relax.tensor<[?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.ewise_fma %x, %y, %z : (!relax.tensor<*, f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[n], f32>, %z: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.ewise_fma %x, %y, %z : (!relax.tensor<*, f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
