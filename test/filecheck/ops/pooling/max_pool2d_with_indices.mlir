// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %y, %i = relax.max_pool2d_with_indices %x {pool_size = array<i64: 2>, ceil_mode = true, column_major = true} : (!relax.tensor<[n, c, h, 5], f16>) -> (!relax.tensor<[n, c, h - 1, 4], f16>, !relax.tensor<[n, c, h - 1, 4], i64>){{$}}
relax.func @symbolic(%x: !relax.tensor<[n, c, h, 5], f16>) -> !relax.object {
  %y, %i = relax.max_pool2d_with_indices %x {pool_size = array<i64: 2>, ceil_mode = true, column_major = true} : (!relax.tensor<[n, c, h, 5], f16>) -> (!relax.tensor<[n, c, h - 1, 4], f16>, !relax.tensor<[n, c, h - 1, 4], i64>)
  relax.return %i : !relax.tensor<[n, c, h - 1, 4], i64>
}
