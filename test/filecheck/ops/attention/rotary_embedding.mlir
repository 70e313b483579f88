// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.rotary_embedding %x, %y, %z : (!relax.tensor<[2, 5, 4, 8], f32>, !relax.tensor<[2, 5, 4], f32>, !relax.tensor<[2, 5, 4], f32>) -> !relax.tensor<[2, 5, 4, 8], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 5, 4, 8], f32>, %y: !relax.tensor<[2, 5, 4], f32>, %z: !relax.tensor<[2, 5, 4], f32>) -> !relax.object {
  %r = relax.rotary_embedding %x, %y, %z : (!relax.tensor<[2, 5, 4, 8], f32>, !relax.tensor<[2, 5, 4], f32>, !relax.tensor<[2, 5, 4], f32>) -> !relax.tensor<[2, 5, 4, 8], f32>
  relax.return %r : !relax.tensor<[2, 5, 4, 8], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.rotary_embedding %x, %y, %z, %u {interleaved = true} : (!relax.tensor<[b, n, h, d], f16>, !relax.tensor<[p, half], f16>, !relax.tensor<[p, half], f16>, !relax.tensor<[b, n], i64>) -> !relax.tensor<[b, n, h, d], f16>{{$}}
relax.func @symbolic(%x: !relax.tensor<[b, n, h, d], f16>, %y: !relax.tensor<[p, half], f16>, %z: !relax.tensor<[p, half], f16>, %u: !relax.tensor<[b, n], i64>) -> !relax.object {
  %r = relax.rotary_embedding %x, %y, %z, %u {interleaved = true} : (!relax.tensor<[b, n, h, d], f16>, !relax.tensor<[p, half], f16>, !relax.tensor<[p, half], f16>, !relax.tensor<[b, n], i64>) -> !relax.tensor<[b, n, h, d], f16>
  relax.return %r : !relax.tensor<[b, n, h, d], f16>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.rotary_embedding %x, %y, %z : (!relax.tensor<[?, n, 4, ?], f32>, !relax.tensor<[b, ?, 4], f32>, !relax.tensor<[b, n, ?], f32>) -> !relax.tensor<[?, n, 4, ?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, n, 4, ?], f32>, %y: !relax.tensor<[b, ?, 4], f32>, %z: !relax.tensor<[b, n, ?], f32>) -> !relax.object {
  %r = relax.rotary_embedding %x, %y, %z : (!relax.tensor<[?, n, 4, ?], f32>, !relax.tensor<[b, ?, 4], f32>, !relax.tensor<[b, n, ?], f32>) -> !relax.tensor<[?, n, 4, ?], f32>
  relax.return %r : !relax.tensor<[?, n, 4, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.rotary_embedding %x, %y, %z, %u : (!relax.tensor<*, f32>, !relax.tensor<[9, 4], f32>, !relax.tensor<*, f32>, !relax.tensor<*, i32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[9, 4], f32>, %z: !relax.tensor<*, f32>, %u: !relax.tensor<*, i32>) -> !relax.object {
  %r = relax.rotary_embedding %x, %y, %z, %u : (!relax.tensor<*, f32>, !relax.tensor<[9, 4], f32>, !relax.tensor<*, f32>, !relax.tensor<*, i32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.rotary_embedding %x, %y, %z : (!relax.tensor<[b, n, 4, 8]>, !relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 4], f32>) -> !relax.tensor<[b, n, 4, 8]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[b, n, 4, 8]>, %y: !relax.tensor<[b, n, 4], f32>, %z: !relax.tensor<[b, n, 4], f32>) -> !relax.object {
  %r = relax.rotary_embedding %x, %y, %z : (!relax.tensor<[b, n, 4, 8]>, !relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 4], f32>) -> !relax.tensor<[b, n, 4, 8]>
  relax.return %r : !relax.tensor<[b, n, 4, 8]>
}
