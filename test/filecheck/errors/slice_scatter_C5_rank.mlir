// RUN: not relax-opt %s 2>&1 | filecheck %s

// A matrix is not replaced by a vector.

relax.func @f(%a: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.slice_scatter %a, %b {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 1>} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: slice_scatter_C5_rank.mlir:6:8: error: @f: relax.slice_scatter (%r): expected tensors of one rank (C5), found 2 and 1; add dimensions with relax.expand_dims or relax.reshape{{$}}
