// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @leading(
// CHECK-NEXT: %r = relax.collapse_sum_like %x, %y : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], i8>) -> !relax.tensor<[m], f32>{{$}}
relax.func @leading(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[m], i8>) -> !relax.object {
  %r = relax.collapse_sum_like %x, %y : (!relax.tensor<[n, m], f32>, !relax.tensor<[m], i8>) -> !relax.tensor<[m], f32>
  relax.return %r : !relax.tensor<[m], f32>
}

// CHECK-LABEL: relax.func @ones(
// CHECK-NEXT: %r = relax.collapse_sum_like %x, %y : (!relax.tensor<[n, m], f16>, !relax.tensor<[n, 1], f16>) -> !relax.tensor<[n, 1], f16>{{$}}
relax.func @ones(%x: !relax.tensor<[n, m], f16>, %y: !relax.tensor<[n, 1], f16>) -> !relax.object {
  %r = relax.collapse_sum_like %x, %y : (!relax.tensor<[n, m], f16>, !relax.tensor<[n, 1], f16>) -> !relax.tensor<[n, 1], f16>
  relax.return %r : !relax.tensor<[n, 1], f16>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.collapse_sum_like %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[?, 4], f32>) -> !relax.object {
  %r = relax.collapse_sum_like %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>
  relax.return %r : !relax.tensor<[?, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.collapse_sum_like %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<*>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<*>) -> !relax.object {
  %r = relax.collapse_sum_like %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<*>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
