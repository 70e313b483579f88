// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two ranks to receive from.

relax.func @f(%x: !relax.tensor<[8], f32>) -> !relax.object {
  %w = relax.shape [2, 2]
  %r = relax.ccl.recv %w, %w : (!relax.shape<[2, 2]>, !relax.shape<[2, 2]>) -> !relax.tensor<[2, 2], f32>
  relax.return %r : !relax.tensor<[2, 2], f32>
}

// CHECK: ccl_recv_C1.mlir:7:8: error: @f: relax.ccl.recv (%r): expected the number of one rank (C1), found !relax.shape<[2, 2]>; write !relax.shape<[rank]>{{$}}
