// RUN: not relax-opt %s 2>&1 | filecheck %s

// A tag that not every MPI has.

relax.func @f(%x: !relax.tensor<[8], f32>) -> !relax.object {
  %w = relax.shape [2]
  %r = relax.ccl.recv %w, %w {tag = 40000 : i64} : (!relax.shape<[2]>, !relax.shape<[2]>) -> !relax.tensor<[2], f32>
  relax.return %r : !relax.tensor<[2], f32>
}

// CHECK: ccl_recv_C2.mlir:7:8: error: @f: relax.ccl.recv (%r): expected a tag from 0 to 32767 (C2), found 40000; correct 'tag'{{$}}
