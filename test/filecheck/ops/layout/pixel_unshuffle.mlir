// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.pixel_unshuffle %x {downscale_factor = 2 : i64} : (!relax.tensor<[1, 2, 6, 10], f32>) -> !relax.tensor<[1, 8, 3, 5], f32>{{$}}
relax.func @static(%x: !relax.tensor<[1, 2, 6, 10], f32>) -> !relax.object {
  %r = relax.pixel_unshuffle %x {downscale_factor = 2 : i64} : (!relax.tensor<[1, 2, 6, 10], f32>) -> !relax.tensor<[1, 8, 3, 5], f32>
  relax.return %r : !relax.tensor<[1, 8, 3, 5], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.pixel_unshuffle %x {downscale_factor = 3 : i64} : (!relax.tensor<[n, c, 3 * h, 3 * w], f32>) -> !relax.tensor<[n, 9 * c, h, w], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, c, 3 * h, 3 * w], f32>, %sizes: !relax.shape<[h, w]>) -> !relax.object {
  %r = relax.pixel_unshuffle %x {downscale_factor = 3 : i64} : (!relax.tensor<[n, c, 3 * h, 3 * w], f32>) -> !relax.tensor<[n, 9 * c, h, w], f32>
  relax.return %r : !relax.tensor<[n, 9 * c, h, w], f32>
}

// CHECK-LABEL: relax.func @to_be_checked(
// CHECK-NEXT: %r = relax.pixel_unshuffle %x {downscale_factor = 2 : i64} : (!relax.tensor<[c, h, w], i8>) -> !relax.tensor<[4 * c, h floordiv 2, w floordiv 2], i8>{{$}}
relax.func @to_be_checked(%x: !relax.tensor<[c, h, w], i8>) -> !relax.object {
  %r = relax.pixel_unshuffle %x {downscale_factor = 2 : i64} : (!relax.tensor<[c, h, w], i8>) -> !relax.tensor<[4 * c, h floordiv 2, w floordiv 2], i8>
  relax.return %r : !relax.tensor<[4 * c, h floordiv 2, w floordiv 2], i8>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.pixel_unshuffle %x {downscale_factor = 2 : i64} : (!relax.tensor<[?, ?, 2, ?]>) -> !relax.tensor<[?, ?, 1, ?]>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, ?, 2, ?]>) -> !relax.object {
  %r = relax.pixel_unshuffle %x {downscale_factor = 2 : i64} : (!relax.tensor<[?, ?, 2, ?]>) -> !relax.tensor<[?, ?, 1, ?]>
  relax.return %r : !relax.tensor<[?, ?, 1, ?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.pixel_unshuffle %x {downscale_factor = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.pixel_unshuffle %x {downscale_factor = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
