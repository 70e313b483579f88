// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.conv1d %x, %w : (!relax.tensor<[2, 3, 10], f32>, !relax.tensor<[4, 3, 3], f32>) -> !relax.tensor<[2, 4, 8], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3, 10], f32>, %w: !relax.tensor<[4, 3, 3], f32>) -> !relax.object {
  %r = relax.conv1d %x, %w : (!relax.tensor<[2, 3, 10], f32>, !relax.tensor<[4, 3, 3], f32>) -> !relax.tensor<[2, 4, 8], f32>
  relax.return %r : !relax.tensor<[2, 4, 8], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.conv1d %x, %w : (!relax.tensor<[n, c, l], f32>, !relax.tensor<[o, c, k], f32>) -> !relax.tensor<[n, o, -k + l + 1], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, c, l], f32>, %w: !relax.tensor<[o, c, k], f32>) -> !relax.object {
  %r = relax.conv1d %x, %w : (!relax.tensor<[n, c, l], f32>, !relax.tensor<[o, c, k], f32>) -> !relax.tensor<[n, o, -k + l + 1], f32>
  relax.return %r : !relax.tensor<[n, o, -k + l + 1], f32>
}

// CHECK-LABEL: relax.func @attributes(
// CHECK-NEXT: %r = relax.conv1d %x, %w {strides = array<i64: 2>, padding = array<i64: 2, 1>, dilation = array<i64: 2>, groups = 2 : i64} : (!relax.tensor<[n, 4, l], f16>, !relax.tensor<[6, 2, 3], f16>) -> !relax.tensor<[n, 6, l floordiv 2], f16>{{$}}
relax.func @attributes(%x: !relax.tensor<[n, 4, l], f16>, %w: !relax.tensor<[6, 2, 3], f16>) -> !relax.object {
  %r = relax.conv1d %x, %w {strides = array<i64: 2>, padding = array<i64: 2, 1>, dilation = array<i64: 2>, groups = 2 : i64} : (!relax.tensor<[n, 4, l], f16>, !relax.tensor<[6, 2, 3], f16>) -> !relax.tensor<[n, 6, l floordiv 2], f16>
  relax.return %r : !relax.tensor<[n, 6, l floordiv 2], f16>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.conv1d %x, %w : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<[?, ?, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %w: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.conv1d %x, %w : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<[?, ?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?, ?], f32>
}
