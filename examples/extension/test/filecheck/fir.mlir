// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s -p relax-legalize | filecheck %s --check-prefix=TE

// CHECK:      relax.func @main(%x: !relax.tensor<[b, n], f32>, %taps: !relax.tensor<[t], f32>) -> !relax.tensor<[b, n - t + 1], f32> {
// CHECK-NEXT:   %y = signal.fir %x, %taps : (!relax.tensor<[b, n], f32>, !relax.tensor<[t], f32>) -> !relax.tensor<[b, n - t + 1], f32>

// TE:      %y = relax.call_tir @fir(%x, %taps)
// TE:      func.func private @fir(
// TE:      linalg.generic {{.*}}affine_map<(d0, d1, d2) -> (d0, (d1 + d2))>
relax.func @main(%x: !relax.tensor<[b, n], f32>, %taps: !relax.tensor<[t], f32>) -> !relax.tensor<[b, n - t + 1], f32> {
  %y = signal.fir %x, %taps : (!relax.tensor<[b, n], f32>, !relax.tensor<[t], f32>) -> !relax.tensor<[b, n - t + 1], f32>
  relax.return %y : !relax.tensor<[b, n - t + 1], f32>
}
