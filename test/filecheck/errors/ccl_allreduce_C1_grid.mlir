// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two sizes of the grid are open.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.ccl.allreduce %x {grid = array<i64: -1, -1>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK: ccl_allreduce_C1_grid.mlir:6:8: error: @f: relax.ccl.allreduce (%r): expected sizes of a grid of at least 1, one of them -1 at most (G1), found [-1, -1]; correct 'grid'{{$}}
