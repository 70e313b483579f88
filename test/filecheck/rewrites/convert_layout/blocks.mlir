// RUN: relax-opt %s -p 'relax-convert-layout{op=conv2d data=NCHW16c kernel=OIHW16i16o}' | filecheck %s
// RUN: not relax-opt %s -p 'relax-convert-layout{op=conv2d data=NCHW16x kernel=OIHW}' 2>&1 | filecheck %s --check-prefix=BAD

// The convolution, its bias and what follows are in blocks; the result is converted back.
relax.func @main(%x: !relax.tensor<[n, 32, h, w], f32>, %w: !relax.tensor<[16, 32, 3, 3], f32>, %b: !relax.tensor<[16, 1, 1], f32>) -> !relax.tensor<[n, 16, h, w], f32> {
  %0 = relax.conv2d %x, %w {padding = array<i64: 1>} : (!relax.tensor<[n, 32, h, w], f32>, !relax.tensor<[16, 32, 3, 3], f32>) -> !relax.tensor<[n, 16, h, w], f32>
  %1 = relax.add %0, %b : (!relax.tensor<[n, 16, h, w], f32>, !relax.tensor<[16, 1, 1], f32>) -> !relax.tensor<[n, 16, h, w], f32>
  %2 = relax.relu %1 : (!relax.tensor<[n, 16, h, w], f32>) -> !relax.tensor<[n, 16, h, w], f32>
  relax.return %2 : !relax.tensor<[n, 16, h, w], f32>
}
// CHECK-LABEL: relax.func @main
// CHECK:         relax.reshape %x, %{{.*}} -> !relax.tensor<[n, 2, 16, h, w], f32>
// CHECK-NEXT:    %[[X:.*]] = relax.permute_dims %{{.*}} {axes = array<i64: 0, 1, 3, 4, 2>}
// CHECK:         relax.reshape %w, %{{.*}} -> !relax.tensor<[1, 16, 2, 16, 3, 3], f32>
// CHECK-NEXT:    %[[W:.*]] = relax.permute_dims %{{.*}} {axes = array<i64: 0, 2, 4, 5, 3, 1>}
// CHECK-NEXT:    %[[Y:.*]] = relax.conv2d %[[X]], %[[W]] {padding = array<i64: 1>, data_layout = "NCHW16c", kernel_layout = "OIHW16i16o", out_layout = "NCHW16c"}
// CHECK-SAME:      -> !relax.tensor<[n, 1, h, w, 16], f32>
// CHECK:         %[[S:.*]] = relax.add %[[Y]], %{{.*}} : (!relax.tensor<[n, 1, h, w, 16], f32>, !relax.tensor<[1, 1, 1, 1, 16], f32>) -> !relax.tensor<[n, 1, h, w, 16], f32>
// CHECK-NEXT:    %[[R:.*]] = relax.relu %[[S]]
// CHECK-NEXT:    relax.permute_dims %[[R]] {axes = array<i64: 0, 1, 4, 2, 3>}
// CHECK:         relax.reshape
// CHECK-SAME:      -> !relax.tensor<[n, 16, h, w], f32>
// CHECK-NEXT:    relax.return

// BAD: relax-convert-layout: expected data to name each of N, C, H, W once, channels in blocks at most, found "NCHW16x"; write it as in NCHW, or NCHW16c
