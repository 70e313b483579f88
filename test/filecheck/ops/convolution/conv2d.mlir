// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.conv2d %x, %w : (!relax.tensor<[1, 3, 8, 9], f32>, !relax.tensor<[4, 3, 3, 2], f32>) -> !relax.tensor<[1, 4, 6, 8], f32>{{$}}
// GENERIC: %r = "relax.conv2d"(%x, %w) : (!relax.tensor<[1, 3, 8, 9], f32>, !relax.tensor<[4, 3, 3, 2], f32>) -> !relax.tensor<[1, 4, 6, 8], f32>{{$}}
relax.func @static(%x: !relax.tensor<[1, 3, 8, 9], f32>, %w: !relax.tensor<[4, 3, 3, 2], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w : (!relax.tensor<[1, 3, 8, 9], f32>, !relax.tensor<[4, 3, 3, 2], f32>) -> !relax.tensor<[1, 4, 6, 8], f32>
  relax.return %r : !relax.tensor<[1, 4, 6, 8], f32>
}

// CHECK-LABEL: relax.func @same(
// CHECK-NEXT: %r = relax.conv2d %x, %w {padding = array<i64: 1>} : (!relax.tensor<[n, c, h, w], f32>, !relax.tensor<[o, c, 3, 3], f32>) -> !relax.tensor<[n, o, h, w], f32>{{$}}
// GENERIC: %r = "relax.conv2d"(%x, %w) <{padding = array<i64: 1>}> : (!relax.tensor<[n, c, h, w], f32>, !relax.tensor<[o, c, 3, 3], f32>) -> !relax.tensor<[n, o, h, w], f32>{{$}}
relax.func @same(%x: !relax.tensor<[n, c, h, w], f32>, %w: !relax.tensor<[o, c, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w {padding = array<i64: 1>} : (!relax.tensor<[n, c, h, w], f32>, !relax.tensor<[o, c, 3, 3], f32>) -> !relax.tensor<[n, o, h, w], f32>
  relax.return %r : !relax.tensor<[n, o, h, w], f32>
}

// CHECK-LABEL: relax.func @strides(
// CHECK-NEXT: %r = relax.conv2d %x, %w {strides = array<i64: 2, 3>} : (!relax.tensor<[n, 4, h, 9], f32>, !relax.tensor<[o, 4, 3, 3], f32>) -> !relax.tensor<[n, o, (h + 1) floordiv 2 - 1, 3], f32>{{$}}
// GENERIC: %r = "relax.conv2d"(%x, %w) <{strides = array<i64: 2, 3>}> : (!relax.tensor<[n, 4, h, 9], f32>, !relax.tensor<[o, 4, 3, 3], f32>) -> !relax.tensor<[n, o, (h + 1) floordiv 2 - 1, 3], f32>{{$}}
relax.func @strides(%x: !relax.tensor<[n, 4, h, 9], f32>, %w: !relax.tensor<[o, 4, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w {strides = array<i64: 2, 3>} : (!relax.tensor<[n, 4, h, 9], f32>, !relax.tensor<[o, 4, 3, 3], f32>) -> !relax.tensor<[n, o, (h + 1) floordiv 2 - 1, 3], f32>
  relax.return %r : !relax.tensor<[n, o, (h + 1) floordiv 2 - 1, 3], f32>
}

// CHECK-LABEL: relax.func @every_padding(
// CHECK-NEXT: %r = relax.conv2d %x, %w {padding = array<i64: 1, 2, 3, 4>, dilation = array<i64: 2, 1>, groups = 2 : i64} : (!relax.tensor<[n, 4, h, w], f32>, !relax.tensor<[8, 2, 3, k], f32>) -> !relax.tensor<[n, 8, h, -k + w + 7], f32>{{$}}
// GENERIC: %r = "relax.conv2d"(%x, %w) <{padding = array<i64: 1, 2, 3, 4>, dilation = array<i64: 2, 1>, groups = 2 : i64}> : (!relax.tensor<[n, 4, h, w], f32>, !relax.tensor<[8, 2, 3, k], f32>) -> !relax.tensor<[n, 8, h, -k + w + 7], f32>{{$}}
relax.func @every_padding(%x: !relax.tensor<[n, 4, h, w], f32>, %w: !relax.tensor<[8, 2, 3, k], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w {padding = array<i64: 1, 2, 3, 4>, dilation = array<i64: 2, 1>, groups = 2 : i64} : (!relax.tensor<[n, 4, h, w], f32>, !relax.tensor<[8, 2, 3, k], f32>) -> !relax.tensor<[n, 8, h, -k + w + 7], f32>
  relax.return %r : !relax.tensor<[n, 8, h, -k + w + 7], f32>
}

// CHECK-LABEL: relax.func @channels_last(
// CHECK-NEXT: %r = relax.conv2d %x, %w {data_layout = "NHWC", kernel_layout = "HWIO"} : (!relax.tensor<[n, h, w, c], f32>, !relax.tensor<[3, 3, c, o], f32>) -> !relax.tensor<[n, h - 2, w - 2, o], f32>{{$}}
// GENERIC: %r = "relax.conv2d"(%x, %w) <{data_layout = "NHWC", kernel_layout = "HWIO"}> : (!relax.tensor<[n, h, w, c], f32>, !relax.tensor<[3, 3, c, o], f32>) -> !relax.tensor<[n, h - 2, w - 2, o], f32>{{$}}
relax.func @channels_last(%x: !relax.tensor<[n, h, w, c], f32>, %w: !relax.tensor<[3, 3, c, o], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w {data_layout = "NHWC", kernel_layout = "HWIO"} : (!relax.tensor<[n, h, w, c], f32>, !relax.tensor<[3, 3, c, o], f32>) -> !relax.tensor<[n, h - 2, w - 2, o], f32>
  relax.return %r : !relax.tensor<[n, h - 2, w - 2, o], f32>
}

// CHECK-LABEL: relax.func @other_result_layout(
// CHECK-NEXT: %r = relax.conv2d %x, %w {data_layout = "NHWC", out_layout = "NCHW"} : (!relax.tensor<[n, h, w, c], f32>, !relax.tensor<[o, c, 1, 1], f32>) -> !relax.tensor<[n, o, h, w], f32>{{$}}
// GENERIC: %r = "relax.conv2d"(%x, %w) <{data_layout = "NHWC", out_layout = "NCHW"}> : (!relax.tensor<[n, h, w, c], f32>, !relax.tensor<[o, c, 1, 1], f32>) -> !relax.tensor<[n, o, h, w], f32>{{$}}
relax.func @other_result_layout(%x: !relax.tensor<[n, h, w, c], f32>, %w: !relax.tensor<[o, c, 1, 1], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w {data_layout = "NHWC", out_layout = "NCHW"} : (!relax.tensor<[n, h, w, c], f32>, !relax.tensor<[o, c, 1, 1], f32>) -> !relax.tensor<[n, o, h, w], f32>
  relax.return %r : !relax.tensor<[n, o, h, w], f32>
}

// CHECK-LABEL: relax.func @integers(
// CHECK-NEXT: %r = relax.conv2d %x, %w {out_dtype = i32} : (!relax.tensor<[n, 3, 5, 5], ui8>, !relax.tensor<[2, 3, 5, 5], i8>) -> !relax.tensor<[n, 2, 1, 1], i32>{{$}}
// GENERIC: %r = "relax.conv2d"(%x, %w) <{out_dtype = i32}> : (!relax.tensor<[n, 3, 5, 5], ui8>, !relax.tensor<[2, 3, 5, 5], i8>) -> !relax.tensor<[n, 2, 1, 1], i32>{{$}}
relax.func @integers(%x: !relax.tensor<[n, 3, 5, 5], ui8>, %w: !relax.tensor<[2, 3, 5, 5], i8>) -> !relax.object {
  %r = relax.conv2d %x, %w {out_dtype = i32} : (!relax.tensor<[n, 3, 5, 5], ui8>, !relax.tensor<[2, 3, 5, 5], i8>) -> !relax.tensor<[n, 2, 1, 1], i32>
  relax.return %r : !relax.tensor<[n, 2, 1, 1], i32>
}

// CHECK-LABEL: relax.func @unknown_dims(
// CHECK-NEXT: %r = relax.conv2d %x, %w : (!relax.tensor<[?, 3, ?, 5], f32>, !relax.tensor<[?, 3, 3, 3], f32>) -> !relax.tensor<[?, ?, ?, 3], f32>{{$}}
// GENERIC: %r = "relax.conv2d"(%x, %w) : (!relax.tensor<[?, 3, ?, 5], f32>, !relax.tensor<[?, 3, 3, 3], f32>) -> !relax.tensor<[?, ?, ?, 3], f32>{{$}}
relax.func @unknown_dims(%x: !relax.tensor<[?, 3, ?, 5], f32>, %w: !relax.tensor<[?, 3, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w : (!relax.tensor<[?, 3, ?, 5], f32>, !relax.tensor<[?, 3, 3, 3], f32>) -> !relax.tensor<[?, ?, ?, 3], f32>
  relax.return %r : !relax.tensor<[?, ?, ?, 3], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.conv2d %x, %w : (!relax.tensor<*, f32>, !relax.tensor<[o, 3, 1, 1], f32>) -> !relax.tensor<[?, o, ?, ?], f32>{{$}}
// GENERIC: %r = "relax.conv2d"(%x, %w) : (!relax.tensor<*, f32>, !relax.tensor<[o, 3, 1, 1], f32>) -> !relax.tensor<[?, o, ?, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %w: !relax.tensor<[o, 3, 1, 1], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w : (!relax.tensor<*, f32>, !relax.tensor<[o, 3, 1, 1], f32>) -> !relax.tensor<[?, o, ?, ?], f32>
  relax.return %r : !relax.tensor<[?, o, ?, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.conv2d %x, %w : (!relax.tensor<[1, 3, 8, 8]>, !relax.tensor<[4, 3, 1, 1], f32>) -> !relax.tensor<[1, 4, 8, 8]>{{$}}
// GENERIC: %r = "relax.conv2d"(%x, %w) : (!relax.tensor<[1, 3, 8, 8]>, !relax.tensor<[4, 3, 1, 1], f32>) -> !relax.tensor<[1, 4, 8, 8]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[1, 3, 8, 8]>, %w: !relax.tensor<[4, 3, 1, 1], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w : (!relax.tensor<[1, 3, 8, 8]>, !relax.tensor<[4, 3, 1, 1], f32>) -> !relax.tensor<[1, 4, 8, 8]>
  relax.return %r : !relax.tensor<[1, 4, 8, 8]>
}
