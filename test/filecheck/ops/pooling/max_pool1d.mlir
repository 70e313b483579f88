// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @default(
// CHECK-NEXT: %r = relax.max_pool1d %x {pool_size = array<i64: 1>} : (!relax.tensor<[n, c, w], f32>) -> !relax.tensor<[n, c, w], f32>{{$}}
relax.func @default(%x: !relax.tensor<[n, c, w], f32>) -> !relax.object {
  %r = relax.max_pool1d %x {pool_size = array<i64: 1>} : (!relax.tensor<[n, c, w], f32>) -> !relax.tensor<[n, c, w], f32>
  relax.return %r : !relax.tensor<[n, c, w], f32>
}

// CHECK-LABEL: relax.func @halves(
// CHECK-NEXT: %r = relax.max_pool1d %x {pool_size = array<i64: 2>, strides = array<i64: 2>} : (!relax.tensor<[n, c, w], f32>) -> !relax.tensor<[n, c, w floordiv 2], f32>{{$}}
relax.func @halves(%x: !relax.tensor<[n, c, w], f32>) -> !relax.object {
  %r = relax.max_pool1d %x {pool_size = array<i64: 2>, strides = array<i64: 2>} : (!relax.tensor<[n, c, w], f32>) -> !relax.tensor<[n, c, w floordiv 2], f32>
  relax.return %r : !relax.tensor<[n, c, w floordiv 2], f32>
}

// CHECK-LABEL: relax.func @ceil(
// CHECK-NEXT: %r = relax.max_pool1d %x {pool_size = array<i64: 3>, strides = array<i64: 2>, ceil_mode = true} : (!relax.tensor<[2, 3, 10], f32>) -> !relax.tensor<[2, 3, 5], f32>{{$}}
relax.func @ceil(%x: !relax.tensor<[2, 3, 10], f32>) -> !relax.object {
  %r = relax.max_pool1d %x {pool_size = array<i64: 3>, strides = array<i64: 2>, ceil_mode = true} : (!relax.tensor<[2, 3, 10], f32>) -> !relax.tensor<[2, 3, 5], f32>
  relax.return %r : !relax.tensor<[2, 3, 5], f32>
}

// CHECK-LABEL: relax.func @channels_last(
// CHECK-NEXT: %r = relax.max_pool1d %x {pool_size = array<i64: 2>, layout = "NWC"} : (!relax.tensor<[n, w, c], f32>) -> !relax.tensor<[n, w - 1, c], f32>{{$}}
relax.func @channels_last(%x: !relax.tensor<[n, w, c], f32>) -> !relax.object {
  %r = relax.max_pool1d %x {pool_size = array<i64: 2>, layout = "NWC"} : (!relax.tensor<[n, w, c], f32>) -> !relax.tensor<[n, w - 1, c], f32>
  relax.return %r : !relax.tensor<[n, w - 1, c], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.max_pool1d %x {pool_size = array<i64: 2>} : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.max_pool1d %x {pool_size = array<i64: 2>} : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.max_pool1d %x {pool_size = array<i64: 1>} : (!relax.tensor<[2, 3, 10]>) -> !relax.tensor<[2, 3, 10]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[2, 3, 10]>) -> !relax.object {
  %r = relax.max_pool1d %x {pool_size = array<i64: 1>} : (!relax.tensor<[2, 3, 10]>) -> !relax.tensor<[2, 3, 10]>
  relax.return %r : !relax.tensor<[2, 3, 10]>
}

// CHECK-LABEL: relax.func @integers(
// CHECK-NEXT: %r = relax.max_pool1d %x {pool_size = array<i64: 1>} : (!relax.tensor<[n, c, w], i8>) -> !relax.tensor<[n, c, w], i8>{{$}}
relax.func @integers(%x: !relax.tensor<[n, c, w], i8>) -> !relax.object {
  %r = relax.max_pool1d %x {pool_size = array<i64: 1>} : (!relax.tensor<[n, c, w], i8>) -> !relax.tensor<[n, c, w], i8>
  relax.return %r : !relax.tensor<[n, c, w], i8>
}
