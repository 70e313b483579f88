// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.lerp %x, %y, %z : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[2, 3], f32>, %z: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.lerp %x, %y, %z : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @broadcast(
// CHECK-NEXT: %r = relax.lerp %x, %y, %z : (!relax.tensor<[n, 1], f64>, !relax.tensor<[m], f64>, !relax.tensor<[], f64>) -> !relax.tensor<[n, m], f64>{{$}}
relax.func @broadcast(%x: !relax.tensor<[n, 1], f64>, %y: !relax.tensor<[m], f64>, %z: !relax.tensor<[], f64>) -> !relax.object {
  %r = relax.lerp %x, %y, %z : (!relax.tensor<[n, 1], f64>, !relax.tensor<[m], f64>, !relax.tensor<[], f64>) -> !relax.tensor<[n, m], f64>
  relax.return %r : !relax.tensor<[n, m], f64>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.lerp %x, %y, %z : (!relax.tensor<[?]>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4]>{{$}}
relax.func @unknown(%x: !relax.tensor<[?]>, %y: !relax.tensor<[4], f32>, %z: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.lerp %x, %y, %z : (!relax.tensor<[?]>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4]>
  relax.return %r : !relax.tensor<[4]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.lerp %x, %y, %z : (!relax.tensor<*, f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[n], f32>, %z: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.lerp %x, %y, %z : (!relax.tensor<*, f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
