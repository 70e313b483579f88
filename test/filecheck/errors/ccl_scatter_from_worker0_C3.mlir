// RUN: not relax-opt %s 2>&1 | filecheck %s

// No ranks.

relax.func @f(%x: !relax.tensor<[8], f32>) -> !relax.object {
  %w = relax.shape [0]
  %r = relax.ccl.scatter_from_worker0 %x, %w : (!relax.tensor<[8], f32>, !relax.shape<[0]>) -> !relax.tensor<[8], f32>
  relax.return %r : !relax.tensor<[8], f32>
}

// CHECK: ccl_scatter_from_worker0_C3.mlir:7:8: error: @f: relax.ccl.scatter_from_worker0 (%r): expected at least one rank (C3), found 0; correct the number of ranks{{$}}
