// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.pixel_shuffle %x {upscale_factor = 2 : i64} : (!relax.tensor<[1, 8, 3, 5], f32>) -> !relax.tensor<[1, 2, 6, 10], f32>{{$}}
// GENERIC: %r = "relax.pixel_shuffle"(%x) <{upscale_factor = 2 : i64}> : (!relax.tensor<[1, 8, 3, 5], f32>) -> !relax.tensor<[1, 2, 6, 10], f32>{{$}}
relax.func @static(%x: !relax.tensor<[1, 8, 3, 5], f32>) -> !relax.object {
  %r = relax.pixel_shuffle %x {upscale_factor = 2 : i64} : (!relax.tensor<[1, 8, 3, 5], f32>) -> !relax.tensor<[1, 2, 6, 10], f32>
  relax.return %r : !relax.tensor<[1, 2, 6, 10], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.pixel_shuffle %x {upscale_factor = 3 : i64} : (!relax.tensor<[n, 9 * c, h, w], f32>) -> !relax.tensor<[n, c, 3 * h, 3 * w], f32>{{$}}
// GENERIC: %r = "relax.pixel_shuffle"(%x) <{upscale_factor = 3 : i64}> : (!relax.tensor<[n, 9 * c, h, w], f32>) -> !relax.tensor<[n, c, 3 * h, 3 * w], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 9 * c, h, w], f32>, %sizes: !relax.shape<[c]>) -> !relax.object {
  %r = relax.pixel_shuffle %x {upscale_factor = 3 : i64} : (!relax.tensor<[n, 9 * c, h, w], f32>) -> !relax.tensor<[n, c, 3 * h, 3 * w], f32>
  relax.return %r : !relax.tensor<[n, c, 3 * h, 3 * w], f32>
}

// CHECK-LABEL: relax.func @to_be_checked(
// CHECK-NEXT: %r = relax.pixel_shuffle %x {upscale_factor = 2 : i64} : (!relax.tensor<[c, h, w], i8>) -> !relax.tensor<[c floordiv 4, 2 * h, 2 * w], i8>{{$}}
// GENERIC: %r = "relax.pixel_shuffle"(%x) <{upscale_factor = 2 : i64}> : (!relax.tensor<[c, h, w], i8>) -> !relax.tensor<[c floordiv 4, 2 * h, 2 * w], i8>{{$}}
relax.func @to_be_checked(%x: !relax.tensor<[c, h, w], i8>) -> !relax.object {
  %r = relax.pixel_shuffle %x {upscale_factor = 2 : i64} : (!relax.tensor<[c, h, w], i8>) -> !relax.tensor<[c floordiv 4, 2 * h, 2 * w], i8>
  relax.return %r : !relax.tensor<[c floordiv 4, 2 * h, 2 * w], i8>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.pixel_shuffle %x {upscale_factor = 2 : i64} : (!relax.tensor<[?, ?, 2, ?]>) -> !relax.tensor<[?, ?, 4, ?]>{{$}}
// GENERIC: %r = "relax.pixel_shuffle"(%x) <{upscale_factor = 2 : i64}> : (!relax.tensor<[?, ?, 2, ?]>) -> !relax.tensor<[?, ?, 4, ?]>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, ?, 2, ?]>) -> !relax.object {
  %r = relax.pixel_shuffle %x {upscale_factor = 2 : i64} : (!relax.tensor<[?, ?, 2, ?]>) -> !relax.tensor<[?, ?, 4, ?]>
  relax.return %r : !relax.tensor<[?, ?, 4, ?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.pixel_shuffle %x {upscale_factor = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.pixel_shuffle"(%x) <{upscale_factor = 2 : i64}> : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.pixel_shuffle %x {upscale_factor = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
