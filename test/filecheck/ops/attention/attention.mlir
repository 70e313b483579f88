// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.attention %x, %y, %z : (!relax.tensor<[2, 5, 4, 8], f32>, !relax.tensor<[2, 7, 4, 8], f32>, !relax.tensor<[2, 7, 4, 6], f32>) -> !relax.tensor<[2, 5, 4, 6], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 5, 4, 8], f32>, %y: !relax.tensor<[2, 7, 4, 8], f32>, %z: !relax.tensor<[2, 7, 4, 6], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z : (!relax.tensor<[2, 5, 4, 8], f32>, !relax.tensor<[2, 7, 4, 8], f32>, !relax.tensor<[2, 7, 4, 6], f32>) -> !relax.tensor<[2, 5, 4, 6], f32>
  relax.return %r : !relax.tensor<[2, 5, 4, 6], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.attention %x, %y, %z : (!relax.tensor<[b, n, h, d], f16>, !relax.tensor<[b, m, h, d], f16>, !relax.tensor<[b, m, h, w], f16>) -> !relax.tensor<[b, n, h, w], f16>{{$}}
relax.func @symbolic(%x: !relax.tensor<[b, n, h, d], f16>, %y: !relax.tensor<[b, m, h, d], f16>, %z: !relax.tensor<[b, m, h, w], f16>) -> !relax.object {
  %r = relax.attention %x, %y, %z : (!relax.tensor<[b, n, h, d], f16>, !relax.tensor<[b, m, h, d], f16>, !relax.tensor<[b, m, h, w], f16>) -> !relax.tensor<[b, n, h, w], f16>
  relax.return %r : !relax.tensor<[b, n, h, w], f16>
}

// CHECK-LABEL: relax.func @grouped(
// CHECK-NEXT: %r = relax.attention %x, %y, %z {causal_mask = "TopLeft"} : (!relax.tensor<[b, n, 4 * g, 8], f32>, !relax.tensor<[b, m, g, 8], f32>, !relax.tensor<[b, m, 2 * g, 8], f32>) -> !relax.tensor<[b, n, 4 * g, 8], f32>{{$}}
relax.func @grouped(%x: !relax.tensor<[b, n, 4 * g, 8], f32>, %y: !relax.tensor<[b, m, g, 8], f32>, %z: !relax.tensor<[b, m, 2 * g, 8], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z {causal_mask = "TopLeft"} : (!relax.tensor<[b, n, 4 * g, 8], f32>, !relax.tensor<[b, m, g, 8], f32>, !relax.tensor<[b, m, 2 * g, 8], f32>) -> !relax.tensor<[b, n, 4 * g, 8], f32>
  relax.return %r : !relax.tensor<[b, n, 4 * g, 8], f32>
}

// CHECK-LABEL: relax.func @bias(
// CHECK-NEXT: %r = relax.attention %x, %y, %z, %u {scale = 2.500000e-01 : f64} : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 4, 8], f32>, !relax.tensor<[b, m, 4, 8], f32>, !relax.tensor<[1, 4, n, m], f32>) -> !relax.tensor<[b, n, 4, 8], f32>{{$}}
relax.func @bias(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[b, m, 4, 8], f32>, %z: !relax.tensor<[b, m, 4, 8], f32>, %u: !relax.tensor<[1, 4, n, m], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z, %u {scale = 2.500000e-01 : f64} : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 4, 8], f32>, !relax.tensor<[b, m, 4, 8], f32>, !relax.tensor<[1, 4, n, m], f32>) -> !relax.tensor<[b, n, 4, 8], f32>
  relax.return %r : !relax.tensor<[b, n, 4, 8], f32>
}

// CHECK-LABEL: relax.func @mask(
// CHECK-NEXT: %r = relax.attention %x, %y, %z, %u : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 4, 8], f32>, !relax.tensor<[b, m, 4, 8], f32>, !relax.tensor<[b, 1, 1, m], i1>) -> !relax.tensor<[b, n, 4, 8], f32>{{$}}
relax.func @mask(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[b, m, 4, 8], f32>, %z: !relax.tensor<[b, m, 4, 8], f32>, %u: !relax.tensor<[b, 1, 1, m], i1>) -> !relax.object {
  %r = relax.attention %x, %y, %z, %u : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 4, 8], f32>, !relax.tensor<[b, m, 4, 8], f32>, !relax.tensor<[b, 1, 1, m], i1>) -> !relax.tensor<[b, n, 4, 8], f32>
  relax.return %r : !relax.tensor<[b, n, 4, 8], f32>
}

// CHECK-LABEL: relax.func @window(
// CHECK-NEXT: %r = relax.attention %x, %y, %z {causal_mask = "BottomRight", window_size = 16 : i64} : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>) -> !relax.tensor<[b, n, 4, 8], f32>{{$}}
relax.func @window(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[b, n, 4, 8], f32>, %z: !relax.tensor<[b, n, 4, 8], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z {causal_mask = "BottomRight", window_size = 16 : i64} : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>) -> !relax.tensor<[b, n, 4, 8], f32>
  relax.return %r : !relax.tensor<[b, n, 4, 8], f32>
}

// CHECK-LABEL: relax.func @sizes_to_be_checked(
// CHECK-NEXT: %r = relax.attention %x, %y, %z : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[c, m, 4, 8], f32>, !relax.tensor<[b, l, 4, 8], f32>) -> !relax.tensor<[b, n, 4, 8], f32>{{$}}
relax.func @sizes_to_be_checked(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[c, m, 4, 8], f32>, %z: !relax.tensor<[b, l, 4, 8], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[c, m, 4, 8], f32>, !relax.tensor<[b, l, 4, 8], f32>) -> !relax.tensor<[b, n, 4, 8], f32>
  relax.return %r : !relax.tensor<[b, n, 4, 8], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.attention %x, %y, %z : (!relax.tensor<[?, n, ?, 8], f32>, !relax.tensor<[b, ?, 4, 8], f32>, !relax.tensor<[b, ?, ?, ?], f32>) -> !relax.tensor<[?, n, ?, ?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, n, ?, 8], f32>, %y: !relax.tensor<[b, ?, 4, 8], f32>, %z: !relax.tensor<[b, ?, ?, ?], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z : (!relax.tensor<[?, n, ?, 8], f32>, !relax.tensor<[b, ?, 4, 8], f32>, !relax.tensor<[b, ?, ?, ?], f32>) -> !relax.tensor<[?, n, ?, ?], f32>
  relax.return %r : !relax.tensor<[?, n, ?, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.attention %x, %y, %z : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<[b, n, 4, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<*, f32>, %z: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<[b, n, 4, ?], f32>
  relax.return %r : !relax.tensor<[b, n, 4, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.attention %x, %y, %z : (!relax.tensor<[b, n, 4, 8]>, !relax.tensor<[b, m, 4, 8], f32>, !relax.tensor<[b, m, 4, 8], f32>) -> !relax.tensor<[b, n, 4, 8]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[b, n, 4, 8]>, %y: !relax.tensor<[b, m, 4, 8], f32>, %z: !relax.tensor<[b, m, 4, 8], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z : (!relax.tensor<[b, n, 4, 8]>, !relax.tensor<[b, m, 4, 8], f32>, !relax.tensor<[b, m, 4, 8], f32>) -> !relax.tensor<[b, n, 4, 8]>
  relax.return %r : !relax.tensor<[b, n, 4, 8]>
}
