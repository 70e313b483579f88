// RUN: not relax-opt %s 2>&1 | filecheck %s

// The ranks do not divide the axis.

relax.func @f(%x: !relax.tensor<[5], f32>) -> !relax.object {
  %w = relax.shape [2]
  %r = relax.ccl.scatter_from_worker0 %x, %w : (!relax.tensor<[5], f32>, !relax.shape<[2]>) -> !relax.tensor<[2], f32>
  relax.return %r : !relax.tensor<[2], f32>
}

// CHECK: ccl_scatter_from_worker0_C4.mlir:7:8: error: @f: relax.ccl.scatter_from_worker0 (%r): expected a size that the number of ranks divides, along axis 0 (C4), found 5; pad the axis first{{$}}
