// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @default(
// CHECK-NEXT: %r = relax.avg_pool2d %x {pool_size = array<i64: 1>} : (!relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c, h, w], f32>{{$}}
relax.func @default(%x: !relax.tensor<[n, c, h, w], f32>) -> !relax.object {
  %r = relax.avg_pool2d %x {pool_size = array<i64: 1>} : (!relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c, h, w], f32>
  relax.return %r : !relax.tensor<[n, c, h, w], f32>
}

// CHECK-LABEL: relax.func @halves(
// CHECK-NEXT: %r = relax.avg_pool2d %x {pool_size = array<i64: 2>, strides = array<i64: 2>} : (!relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c, h floordiv 2, w floordiv 2], f32>{{$}}
relax.func @halves(%x: !relax.tensor<[n, c, h, w], f32>) -> !relax.object {
  %r = relax.avg_pool2d %x {pool_size = array<i64: 2>, strides = array<i64: 2>} : (!relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c, h floordiv 2, w floordiv 2], f32>
  relax.return %r : !relax.tensor<[n, c, h floordiv 2, w floordiv 2], f32>
}

// CHECK-LABEL: relax.func @ceil(
// CHECK-NEXT: %r = relax.avg_pool2d %x {pool_size = array<i64: 3>, strides = array<i64: 2>, ceil_mode = true} : (!relax.tensor<[2, 3, 8, 10], f32>) -> !relax.tensor<[2, 3, 4, 5], f32>{{$}}
relax.func @ceil(%x: !relax.tensor<[2, 3, 8, 10], f32>) -> !relax.object {
  %r = relax.avg_pool2d %x {pool_size = array<i64: 3>, strides = array<i64: 2>, ceil_mode = true} : (!relax.tensor<[2, 3, 8, 10], f32>) -> !relax.tensor<[2, 3, 4, 5], f32>
  relax.return %r : !relax.tensor<[2, 3, 4, 5], f32>
}

// CHECK-LABEL: relax.func @channels_last(
// CHECK-NEXT: %r = relax.avg_pool2d %x {pool_size = array<i64: 2>, layout = "NHWC"} : (!relax.tensor<[n, h, w, c], f32>) -> !relax.tensor<[n, h - 1, w - 1, c], f32>{{$}}
relax.func @channels_last(%x: !relax.tensor<[n, h, w, c], f32>) -> !relax.object {
  %r = relax.avg_pool2d %x {pool_size = array<i64: 2>, layout = "NHWC"} : (!relax.tensor<[n, h, w, c], f32>) -> !relax.tensor<[n, h - 1, w - 1, c], f32>
  relax.return %r : !relax.tensor<[n, h - 1, w - 1, c], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.avg_pool2d %x {pool_size = array<i64: 2>} : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?, ?, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.avg_pool2d %x {pool_size = array<i64: 2>} : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?, ?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?, ?, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.avg_pool2d %x {pool_size = array<i64: 1>} : (!relax.tensor<[2, 3, 8, 10]>) -> !relax.tensor<[2, 3, 8, 10]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[2, 3, 8, 10]>) -> !relax.object {
  %r = relax.avg_pool2d %x {pool_size = array<i64: 1>} : (!relax.tensor<[2, 3, 8, 10]>) -> !relax.tensor<[2, 3, 8, 10]>
  relax.return %r : !relax.tensor<[2, 3, 8, 10]>
}

// CHECK-LABEL: relax.func @every_padding(
// CHECK-NEXT: %r = relax.avg_pool2d %x {pool_size = array<i64: 3, 2>, padding = array<i64: 0, 1, 2, 0>, dilation = array<i64: 2, 3>, count_include_pad = true} : (!relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c, h - 2, w - 2], f32>{{$}}
relax.func @every_padding(%x: !relax.tensor<[n, c, h, w], f32>) -> !relax.object {
  %r = relax.avg_pool2d %x {pool_size = array<i64: 3, 2>, padding = array<i64: 0, 1, 2, 0>, dilation = array<i64: 2, 3>, count_include_pad = true} : (!relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c, h - 2, w - 2], f32>
  relax.return %r : !relax.tensor<[n, c, h - 2, w - 2], f32>
}
