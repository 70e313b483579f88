// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.conv3d_transpose %x, %w : (!relax.tensor<[1, 2, 3, 4, 5], f32>, !relax.tensor<[2, 3, 2, 2, 2], f32>) -> !relax.tensor<[1, 3, 4, 5, 6], f32>{{$}}
relax.func @static(%x: !relax.tensor<[1, 2, 3, 4, 5], f32>, %w: !relax.tensor<[2, 3, 2, 2, 2], f32>) -> !relax.object {
  %r = relax.conv3d_transpose %x, %w : (!relax.tensor<[1, 2, 3, 4, 5], f32>, !relax.tensor<[2, 3, 2, 2, 2], f32>) -> !relax.tensor<[1, 3, 4, 5, 6], f32>
  relax.return %r : !relax.tensor<[1, 3, 4, 5, 6], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.conv3d_transpose %x, %w {strides = array<i64: 1, 2, 3>, groups = 2 : i64} : (!relax.tensor<[n, 2, d, h, w], f32>, !relax.tensor<[2, 1, 3, 3, 3], f32>) -> !relax.tensor<[n, 2, d + 2, 2 * h + 1, 3 * w], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 2, d, h, w], f32>, %w: !relax.tensor<[2, 1, 3, 3, 3], f32>) -> !relax.object {
  %r = relax.conv3d_transpose %x, %w {strides = array<i64: 1, 2, 3>, groups = 2 : i64} : (!relax.tensor<[n, 2, d, h, w], f32>, !relax.tensor<[2, 1, 3, 3, 3], f32>) -> !relax.tensor<[n, 2, d + 2, 2 * h + 1, 3 * w], f32>
  relax.return %r : !relax.tensor<[n, 2, d + 2, 2 * h + 1, 3 * w], f32>
}

// CHECK-LABEL: relax.func @unknown_dims(
// CHECK-NEXT: %r = relax.conv3d_transpose %x, %w : (!relax.tensor<[n, 2, ?, h, 4], f32>, !relax.tensor<[2, ?, 3, ?, 1], f32>) -> !relax.tensor<[n, ?, ?, ?, 4], f32>{{$}}
relax.func @unknown_dims(%x: !relax.tensor<[n, 2, ?, h, 4], f32>, %w: !relax.tensor<[2, ?, 3, ?, 1], f32>) -> !relax.object {
  %r = relax.conv3d_transpose %x, %w : (!relax.tensor<[n, 2, ?, h, 4], f32>, !relax.tensor<[2, ?, 3, ?, 1], f32>) -> !relax.tensor<[n, ?, ?, ?, 4], f32>
  relax.return %r : !relax.tensor<[n, ?, ?, ?, 4], f32>
}
