// RUN: not relax-opt %s 2>&1 | filecheck %s

// The ranks do not divide the axis.

relax.func @f(%x: !relax.tensor<[5], f32>) -> !relax.object {
  %w = relax.shape [2]
  %r = relax.ccl.reduce_scatter %x, %w : (!relax.tensor<[5], f32>, !relax.shape<[2]>) -> !relax.tensor<[2], f32>
  relax.return %r : !relax.tensor<[2], f32>
}

// CHECK: ccl_reduce_scatter_C4.mlir:7:8: error: @f: relax.ccl.reduce_scatter (%r): expected a size that the number of ranks divides, along axis 0 (C4), found 5; pad the axis first{{$}}
