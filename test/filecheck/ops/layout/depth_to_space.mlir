// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @dcr(
// CHECK-NEXT: %r = relax.depth_to_space %x {block_size = 2 : i64, mode = "DCR"} : (!relax.tensor<[1, 8, 3, 5], f32>) -> !relax.tensor<[1, 2, 6, 10], f32>{{$}}
relax.func @dcr(%x: !relax.tensor<[1, 8, 3, 5], f32>) -> !relax.object {
  %r = relax.depth_to_space %x {block_size = 2 : i64, mode = "DCR"} : (!relax.tensor<[1, 8, 3, 5], f32>) -> !relax.tensor<[1, 2, 6, 10], f32>
  relax.return %r : !relax.tensor<[1, 2, 6, 10], f32>
}

// CHECK-LABEL: relax.func @crd(
// CHECK-NEXT: %r = relax.depth_to_space %x {block_size = 2 : i64, mode = "CRD"} : (!relax.tensor<[n, 4 * c, h, w], f32>) -> !relax.tensor<[n, c, 2 * h, 2 * w], f32>{{$}}
relax.func @crd(%x: !relax.tensor<[n, 4 * c, h, w], f32>, %sizes: !relax.shape<[c]>) -> !relax.object {
  %r = relax.depth_to_space %x {block_size = 2 : i64, mode = "CRD"} : (!relax.tensor<[n, 4 * c, h, w], f32>) -> !relax.tensor<[n, c, 2 * h, 2 * w], f32>
  relax.return %r : !relax.tensor<[n, c, 2 * h, 2 * w], f32>
}

// CHECK-LABEL: relax.func @no_mode(
// CHECK-NEXT: %r = relax.depth_to_space %x {block_size = 2 : i64} : (!relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c floordiv 4, 2 * h, 2 * w], f32>{{$}}
relax.func @no_mode(%x: !relax.tensor<[n, c, h, w], f32>) -> !relax.object {
  %r = relax.depth_to_space %x {block_size = 2 : i64} : (!relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c floordiv 4, 2 * h, 2 * w], f32>
  relax.return %r : !relax.tensor<[n, c floordiv 4, 2 * h, 2 * w], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.depth_to_space %x {block_size = 2 : i64} : (!relax.tensor<[?, ?, 2, ?]>) -> !relax.tensor<[?, ?, 4, ?]>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, ?, 2, ?]>) -> !relax.object {
  %r = relax.depth_to_space %x {block_size = 2 : i64} : (!relax.tensor<[?, ?, 2, ?]>) -> !relax.tensor<[?, ?, 4, ?]>
  relax.return %r : !relax.tensor<[?, ?, 4, ?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.depth_to_space %x {block_size = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.depth_to_space %x {block_size = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
