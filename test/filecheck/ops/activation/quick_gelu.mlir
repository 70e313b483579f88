// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.quick_gelu %x : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.quick_gelu %x : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.quick_gelu %x : (!relax.tensor<[n, 2 * n], f16>) -> !relax.tensor<[n, 2 * n], f16>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 2 * n], f16>) -> !relax.object {
  %r = relax.quick_gelu %x : (!relax.tensor<[n, 2 * n], f16>) -> !relax.tensor<[n, 2 * n], f16>
  relax.return %r : !relax.tensor<[n, 2 * n], f16>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.quick_gelu %x : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], f32>) -> !relax.object {
  %r = relax.quick_gelu %x : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>
  relax.return %r : !relax.tensor<[?, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.quick_gelu %x : (!relax.tensor<*, f16>) -> !relax.tensor<*, f16>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f16>) -> !relax.object {
  %r = relax.quick_gelu %x : (!relax.tensor<*, f16>) -> !relax.tensor<*, f16>
  relax.return %r : !relax.tensor<*, f16>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.quick_gelu %x : (!relax.tensor<[n]>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>) -> !relax.object {
  %r = relax.quick_gelu %x : (!relax.tensor<[n]>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}
