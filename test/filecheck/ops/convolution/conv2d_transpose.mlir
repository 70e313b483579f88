// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.conv2d_transpose %x, %w {strides = array<i64: 2, 1>} : (!relax.tensor<[1, 3, 4, 5], f32>, !relax.tensor<[3, 2, 3, 3], f32>) -> !relax.tensor<[1, 2, 9, 7], f32>{{$}}
relax.func @static(%x: !relax.tensor<[1, 3, 4, 5], f32>, %w: !relax.tensor<[3, 2, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d_transpose %x, %w {strides = array<i64: 2, 1>} : (!relax.tensor<[1, 3, 4, 5], f32>, !relax.tensor<[3, 2, 3, 3], f32>) -> !relax.tensor<[1, 2, 9, 7], f32>
  relax.return %r : !relax.tensor<[1, 2, 9, 7], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.conv2d_transpose %x, %w {output_padding = array<i64: 1>, strides = array<i64: 2>, padding = array<i64: 1>} : (!relax.tensor<[n, c, h, w], f32>, !relax.tensor<[c, o, 3, 3], f32>) -> !relax.tensor<[n, o, 2 * h, 2 * w], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, c, h, w], f32>, %w: !relax.tensor<[c, o, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d_transpose %x, %w {output_padding = array<i64: 1>, strides = array<i64: 2>, padding = array<i64: 1>} : (!relax.tensor<[n, c, h, w], f32>, !relax.tensor<[c, o, 3, 3], f32>) -> !relax.tensor<[n, o, 2 * h, 2 * w], f32>
  relax.return %r : !relax.tensor<[n, o, 2 * h, 2 * w], f32>
}

// CHECK-LABEL: relax.func @cut(
// CHECK-NEXT: %r = relax.conv2d_transpose %x, %w {padding = array<i64: 1, 0, 2, 2>} : (!relax.tensor<[n, c, h, w], f32>, !relax.tensor<[c, o, k, 3], f32>) -> !relax.tensor<[n, o, h + k - 4, w], f32>{{$}}
relax.func @cut(%x: !relax.tensor<[n, c, h, w], f32>, %w: !relax.tensor<[c, o, k, 3], f32>) -> !relax.object {
  %r = relax.conv2d_transpose %x, %w {padding = array<i64: 1, 0, 2, 2>} : (!relax.tensor<[n, c, h, w], f32>, !relax.tensor<[c, o, k, 3], f32>) -> !relax.tensor<[n, o, h + k - 4, w], f32>
  relax.return %r : !relax.tensor<[n, o, h + k - 4, w], f32>
}

// CHECK-LABEL: relax.func @channels_last(
// CHECK-NEXT: %r = relax.conv2d_transpose %x, %w {groups = 3 : i64, data_layout = "NHWC", kernel_layout = "HWIO"} : (!relax.tensor<[n, h, w, 6], f32>, !relax.tensor<[2, 2, 6, 1], f32>) -> !relax.tensor<[n, h + 1, w + 1, 3], f32>{{$}}
relax.func @channels_last(%x: !relax.tensor<[n, h, w, 6], f32>, %w: !relax.tensor<[2, 2, 6, 1], f32>) -> !relax.object {
  %r = relax.conv2d_transpose %x, %w {groups = 3 : i64, data_layout = "NHWC", kernel_layout = "HWIO"} : (!relax.tensor<[n, h, w, 6], f32>, !relax.tensor<[2, 2, 6, 1], f32>) -> !relax.tensor<[n, h + 1, w + 1, 3], f32>
  relax.return %r : !relax.tensor<[n, h + 1, w + 1, 3], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.conv2d_transpose %x, %w : (!relax.tensor<[n, 1, h, w], f32>, !relax.tensor<[1, 1, 1, 1]>) -> !relax.tensor<[n, 1, h, w]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, 1, h, w], f32>, %w: !relax.tensor<[1, 1, 1, 1]>) -> !relax.object {
  %r = relax.conv2d_transpose %x, %w : (!relax.tensor<[n, 1, h, w], f32>, !relax.tensor<[1, 1, 1, 1]>) -> !relax.tensor<[n, 1, h, w]>
  relax.return %r : !relax.tensor<[n, 1, h, w]>
}
