// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.space_to_depth %x {block_size = 2 : i64} : (!relax.tensor<[1, 2, 6, 10], f32>) -> !relax.tensor<[1, 8, 3, 5], f32>{{$}}
relax.func @static(%x: !relax.tensor<[1, 2, 6, 10], f32>) -> !relax.object {
  %r = relax.space_to_depth %x {block_size = 2 : i64} : (!relax.tensor<[1, 2, 6, 10], f32>) -> !relax.tensor<[1, 8, 3, 5], f32>
  relax.return %r : !relax.tensor<[1, 8, 3, 5], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.space_to_depth %x {block_size = 2 : i64} : (!relax.tensor<[n, c, 2 * h, w], f32>) -> !relax.tensor<[n, 4 * c, h, w floordiv 2], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, c, 2 * h, w], f32>, %sizes: !relax.shape<[h]>) -> !relax.object {
  %r = relax.space_to_depth %x {block_size = 2 : i64} : (!relax.tensor<[n, c, 2 * h, w], f32>) -> !relax.tensor<[n, 4 * c, h, w floordiv 2], f32>
  relax.return %r : !relax.tensor<[n, 4 * c, h, w floordiv 2], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.space_to_depth %x {block_size = 2 : i64} : (!relax.tensor<[?, ?, 2, ?]>) -> !relax.tensor<[?, ?, 1, ?]>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, ?, 2, ?]>) -> !relax.object {
  %r = relax.space_to_depth %x {block_size = 2 : i64} : (!relax.tensor<[?, ?, 2, ?]>) -> !relax.tensor<[?, ?, 1, ?]>
  relax.return %r : !relax.tensor<[?, ?, 1, ?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.space_to_depth %x {block_size = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.space_to_depth %x {block_size = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
