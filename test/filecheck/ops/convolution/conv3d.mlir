// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.conv3d %x, %w : (!relax.tensor<[1, 2, 5, 6, 7], f32>, !relax.tensor<[4, 2, 1, 2, 3], f32>) -> !relax.tensor<[1, 4, 5, 5, 5], f32>{{$}}
relax.func @static(%x: !relax.tensor<[1, 2, 5, 6, 7], f32>, %w: !relax.tensor<[4, 2, 1, 2, 3], f32>) -> !relax.object {
  %r = relax.conv3d %x, %w : (!relax.tensor<[1, 2, 5, 6, 7], f32>, !relax.tensor<[4, 2, 1, 2, 3], f32>) -> !relax.tensor<[1, 4, 5, 5, 5], f32>
  relax.return %r : !relax.tensor<[1, 4, 5, 5, 5], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.conv3d %x, %w {padding = array<i64: 0, 1, 2>} : (!relax.tensor<[n, 1, d, h, w], f32>, !relax.tensor<[o, 1, 3, 3, 3], f32>) -> !relax.tensor<[n, o, d - 2, h, w + 2], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 1, d, h, w], f32>, %w: !relax.tensor<[o, 1, 3, 3, 3], f32>) -> !relax.object {
  %r = relax.conv3d %x, %w {padding = array<i64: 0, 1, 2>} : (!relax.tensor<[n, 1, d, h, w], f32>, !relax.tensor<[o, 1, 3, 3, 3], f32>) -> !relax.tensor<[n, o, d - 2, h, w + 2], f32>
  relax.return %r : !relax.tensor<[n, o, d - 2, h, w + 2], f32>
}

// CHECK-LABEL: relax.func @channels_last(
// CHECK-NEXT: %r = relax.conv3d %x, %w {strides = array<i64: 2>, groups = 4 : i64, data_layout = "NDHWC"} : (!relax.tensor<[n, d, h, w, 4], f32>, !relax.tensor<[4, 1, 2, 2, 2], f32>) -> !relax.tensor<[n, d floordiv 2, h floordiv 2, w floordiv 2, 4], f32>{{$}}
relax.func @channels_last(%x: !relax.tensor<[n, d, h, w, 4], f32>, %w: !relax.tensor<[4, 1, 2, 2, 2], f32>) -> !relax.object {
  %r = relax.conv3d %x, %w {strides = array<i64: 2>, groups = 4 : i64, data_layout = "NDHWC"} : (!relax.tensor<[n, d, h, w, 4], f32>, !relax.tensor<[4, 1, 2, 2, 2], f32>) -> !relax.tensor<[n, d floordiv 2, h floordiv 2, w floordiv 2, 4], f32>
  relax.return %r : !relax.tensor<[n, d floordiv 2, h floordiv 2, w floordiv 2, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_dims(
// CHECK-NEXT: %r = relax.conv3d %x, %w : (!relax.tensor<[n, ?, ?, h, 3], f32>, !relax.tensor<[o, ?, 3, ?, 3], f32>) -> !relax.tensor<[n, o, ?, ?, 1], f32>{{$}}
relax.func @unknown_dims(%x: !relax.tensor<[n, ?, ?, h, 3], f32>, %w: !relax.tensor<[o, ?, 3, ?, 3], f32>) -> !relax.object {
  %r = relax.conv3d %x, %w : (!relax.tensor<[n, ?, ?, h, 3], f32>, !relax.tensor<[o, ?, 3, ?, 3], f32>) -> !relax.tensor<[n, o, ?, ?, 1], f32>
  relax.return %r : !relax.tensor<[n, o, ?, ?, 1], f32>
}
