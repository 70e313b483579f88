// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two columns are not replaced by three.

relax.func @f(%a: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<[n, 3], f32>) -> !relax.object {
  %r = relax.slice_scatter %a, %b {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 2>} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: slice_scatter_C5_size.mlir:6:8: error: @f: relax.slice_scatter (%r): expected axis 1 of 'src' to be as long as the slice (C5), found 3 and 2; slice or pad 'src'{{$}}
