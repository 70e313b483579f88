// RUN: not relax-opt %s 2>&1 | filecheck %s

// Other ranks than those of a group.

relax.func @f(%x: !relax.tensor<[8], f32>) -> !relax.object {
  %w = relax.shape [2]
  %r = relax.ccl.reduce_scatter %x, %w {grid = array<i64: 2, 4>, grid_axes = array<i64: 1>} : (!relax.tensor<[8], f32>, !relax.shape<[2]>) -> !relax.tensor<[4], f32>
  relax.return %r : !relax.tensor<[4], f32>
}

// CHECK: ccl_reduce_scatter_C3.mlir:7:8: error: @f: relax.ccl.reduce_scatter (%r): expected the 4 ranks of a group of 'grid' (C3), found 2; correct one of them{{$}}
