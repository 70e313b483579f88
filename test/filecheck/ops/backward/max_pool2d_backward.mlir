// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @default(
// CHECK-NEXT: %r = relax.max_pool2d_backward %g, %x {pool_size = array<i64: 1>} : (!relax.tensor<[n, c, h, w], f32>, !relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c, h, w], f32>{{$}}
// GENERIC: %r = "relax.max_pool2d_backward"(%g, %x) <{pool_size = array<i64: 1>}> : (!relax.tensor<[n, c, h, w], f32>, !relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c, h, w], f32>{{$}}
relax.func @default(%g: !relax.tensor<[n, c, h, w], f32>, %x: !relax.tensor<[n, c, h, w], f32>) -> !relax.object {
  %r = relax.max_pool2d_backward %g, %x {pool_size = array<i64: 1>} : (!relax.tensor<[n, c, h, w], f32>, !relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c, h, w], f32>
  relax.return %r : !relax.tensor<[n, c, h, w], f32>
}

// CHECK-LABEL: relax.func @halves(
// CHECK-NEXT: %r = relax.max_pool2d_backward %g, %x {pool_size = array<i64: 2>, strides = array<i64: 2>} : (!relax.tensor<[n, c, h floordiv 2, w floordiv 2], f32>, !relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c, h, w], f32>{{$}}
// GENERIC: %r = "relax.max_pool2d_backward"(%g, %x) <{pool_size = array<i64: 2>, strides = array<i64: 2>}> : (!relax.tensor<[n, c, h floordiv 2, w floordiv 2], f32>, !relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c, h, w], f32>{{$}}
relax.func @halves(%g: !relax.tensor<[n, c, h floordiv 2, w floordiv 2], f32>, %x: !relax.tensor<[n, c, h, w], f32>) -> !relax.object {
  %r = relax.max_pool2d_backward %g, %x {pool_size = array<i64: 2>, strides = array<i64: 2>} : (!relax.tensor<[n, c, h floordiv 2, w floordiv 2], f32>, !relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c, h, w], f32>
  relax.return %r : !relax.tensor<[n, c, h, w], f32>
}

// CHECK-LABEL: relax.func @channels_last(
// CHECK-NEXT: %r = relax.max_pool2d_backward %g, %x {pool_size = array<i64: 2>, layout = "NHWC"} : (!relax.tensor<[2, 3, 4, 5], f32>, !relax.tensor<[2, 4, 5, 5], f32>) -> !relax.tensor<[2, 4, 5, 5], f32>{{$}}
// GENERIC: %r = "relax.max_pool2d_backward"(%g, %x) <{pool_size = array<i64: 2>, layout = "NHWC"}> : (!relax.tensor<[2, 3, 4, 5], f32>, !relax.tensor<[2, 4, 5, 5], f32>) -> !relax.tensor<[2, 4, 5, 5], f32>{{$}}
relax.func @channels_last(%g: !relax.tensor<[2, 3, 4, 5], f32>, %x: !relax.tensor<[2, 4, 5, 5], f32>) -> !relax.object {
  %r = relax.max_pool2d_backward %g, %x {pool_size = array<i64: 2>, layout = "NHWC"} : (!relax.tensor<[2, 3, 4, 5], f32>, !relax.tensor<[2, 4, 5, 5], f32>) -> !relax.tensor<[2, 4, 5, 5], f32>
  relax.return %r : !relax.tensor<[2, 4, 5, 5], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.max_pool2d_backward %g, %x {pool_size = array<i64: 2>} : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.max_pool2d_backward"(%g, %x) <{pool_size = array<i64: 2>}> : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%g: !relax.tensor<*, f32>, %x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.max_pool2d_backward %g, %x {pool_size = array<i64: 2>} : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_size(
// CHECK-NEXT: %r = relax.max_pool2d_backward %g, %x {pool_size = array<i64: 2>, strides = array<i64: 2>} : (!relax.tensor<[?, 3, ?, 4], f64>, !relax.tensor<[n, 3, h, 8], f64>) -> !relax.tensor<[n, 3, h, 8], f64>{{$}}
// GENERIC: %r = "relax.max_pool2d_backward"(%g, %x) <{pool_size = array<i64: 2>, strides = array<i64: 2>}> : (!relax.tensor<[?, 3, ?, 4], f64>, !relax.tensor<[n, 3, h, 8], f64>) -> !relax.tensor<[n, 3, h, 8], f64>{{$}}
relax.func @unknown_size(%g: !relax.tensor<[?, 3, ?, 4], f64>, %x: !relax.tensor<[n, 3, h, 8], f64>) -> !relax.object {
  %r = relax.max_pool2d_backward %g, %x {pool_size = array<i64: 2>, strides = array<i64: 2>} : (!relax.tensor<[?, 3, ?, 4], f64>, !relax.tensor<[n, 3, h, 8], f64>) -> !relax.tensor<[n, 3, h, 8], f64>
  relax.return %r : !relax.tensor<[n, 3, h, 8], f64>
}
