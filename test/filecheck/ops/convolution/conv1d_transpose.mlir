// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.conv1d_transpose %x, %w : (!relax.tensor<[2, 3, 10], f32>, !relax.tensor<[3, 4, 3], f32>) -> !relax.tensor<[2, 4, 12], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3, 10], f32>, %w: !relax.tensor<[3, 4, 3], f32>) -> !relax.object {
  %r = relax.conv1d_transpose %x, %w : (!relax.tensor<[2, 3, 10], f32>, !relax.tensor<[3, 4, 3], f32>) -> !relax.tensor<[2, 4, 12], f32>
  relax.return %r : !relax.tensor<[2, 4, 12], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.conv1d_transpose %x, %w {strides = array<i64: 2>, padding = array<i64: 1>} : (!relax.tensor<[n, c, l], f32>, !relax.tensor<[c, o, 4], f32>) -> !relax.tensor<[n, o, 2 * l], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, c, l], f32>, %w: !relax.tensor<[c, o, 4], f32>) -> !relax.object {
  %r = relax.conv1d_transpose %x, %w {strides = array<i64: 2>, padding = array<i64: 1>} : (!relax.tensor<[n, c, l], f32>, !relax.tensor<[c, o, 4], f32>) -> !relax.tensor<[n, o, 2 * l], f32>
  relax.return %r : !relax.tensor<[n, o, 2 * l], f32>
}

// CHECK-LABEL: relax.func @attributes(
// CHECK-NEXT: %r = relax.conv1d_transpose %x, %w {output_padding = array<i64: 2>, strides = array<i64: 3>, dilation = array<i64: 2>, groups = 2 : i64} : (!relax.tensor<[n, 4, l], f32>, !relax.tensor<[4, 3, 3], f32>) -> !relax.tensor<[n, 6, 3 * l + 4], f32>{{$}}
relax.func @attributes(%x: !relax.tensor<[n, 4, l], f32>, %w: !relax.tensor<[4, 3, 3], f32>) -> !relax.object {
  %r = relax.conv1d_transpose %x, %w {output_padding = array<i64: 2>, strides = array<i64: 3>, dilation = array<i64: 2>, groups = 2 : i64} : (!relax.tensor<[n, 4, l], f32>, !relax.tensor<[4, 3, 3], f32>) -> !relax.tensor<[n, 6, 3 * l + 4], f32>
  relax.return %r : !relax.tensor<[n, 6, 3 * l + 4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.conv1d_transpose %x, %w : (!relax.tensor<*, f32>, !relax.tensor<[c, 2, 3], f32>) -> !relax.tensor<[?, 2, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %w: !relax.tensor<[c, 2, 3], f32>) -> !relax.object {
  %r = relax.conv1d_transpose %x, %w : (!relax.tensor<*, f32>, !relax.tensor<[c, 2, 3], f32>) -> !relax.tensor<[?, 2, ?], f32>
  relax.return %r : !relax.tensor<[?, 2, ?], f32>
}
