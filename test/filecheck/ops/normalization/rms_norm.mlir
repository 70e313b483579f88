// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.rms_norm %x, %w {axes = array<i64: -1>} : (!relax.tensor<[2, 8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<[2, 8], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 8], f32>, %w: !relax.tensor<[8], f32>) -> !relax.object {
  %r = relax.rms_norm %x, %w {axes = array<i64: -1>} : (!relax.tensor<[2, 8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<[2, 8], f32>
  relax.return %r : !relax.tensor<[2, 8], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.rms_norm %x, %w {axes = array<i64: 1, 2>, epsilon = 1.000000e-06 : f64} : (!relax.tensor<[n, l, m], bf16>, !relax.tensor<[l, m], bf16>) -> !relax.tensor<[n, l, m], bf16>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, l, m], bf16>, %w: !relax.tensor<[l, m], bf16>) -> !relax.object {
  %r = relax.rms_norm %x, %w {axes = array<i64: 1, 2>, epsilon = 1.000000e-06 : f64} : (!relax.tensor<[n, l, m], bf16>, !relax.tensor<[l, m], bf16>) -> !relax.tensor<[n, l, m], bf16>
  relax.return %r : !relax.tensor<[n, l, m], bf16>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.rms_norm %x, %w {axes = array<i64: -1>} : (!relax.tensor<*, f32>, !relax.tensor<[8], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %w: !relax.tensor<[8], f32>) -> !relax.object {
  %r = relax.rms_norm %x, %w {axes = array<i64: -1>} : (!relax.tensor<*, f32>, !relax.tensor<[8], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.rms_norm %x, %w {axes = array<i64: -1>} : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8]>) -> !relax.tensor<[n, 8]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[8]>) -> !relax.object {
  %r = relax.rms_norm %x, %w {axes = array<i64: -1>} : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8]>) -> !relax.tensor<[n, 8]>
  relax.return %r : !relax.tensor<[n, 8]>
}
