// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %y, %i = relax.max_pool3d_with_indices %x {pool_size = array<i64: 2>} : (!relax.tensor<[n, c, d, h, w], f32>) -> (!relax.tensor<[n, c, d - 1, h - 1, w - 1], f32>, !relax.tensor<[n, c, d - 1, h - 1, w - 1], i64>){{$}}
relax.func @symbolic(%x: !relax.tensor<[n, c, d, h, w], f32>) -> !relax.object {
  %y, %i = relax.max_pool3d_with_indices %x {pool_size = array<i64: 2>} : (!relax.tensor<[n, c, d, h, w], f32>) -> (!relax.tensor<[n, c, d - 1, h - 1, w - 1], f32>, !relax.tensor<[n, c, d - 1, h - 1, w - 1], i64>)
  relax.return %i : !relax.tensor<[n, c, d - 1, h - 1, w - 1], i64>
}
