// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two numbers of ranks.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %w = relax.shape [2, 2]
  %r = relax.ccl.allgather %x, %w : (!relax.tensor<[n], f32>, !relax.shape<[2, 2]>) -> !relax.tensor<[4 * n], f32>
  relax.return %r : !relax.tensor<[4 * n], f32>
}

// CHECK: ccl_allgather_C1.mlir:7:8: error: @f: relax.ccl.allgather (%r): expected a shape of one size (C1), found !relax.shape<[2, 2]>; write !relax.shape<[ranks]>{{$}}
