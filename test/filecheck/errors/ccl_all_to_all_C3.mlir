// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two numbers of ranks.

relax.func @f(%x: !relax.tensor<[8], f32>) -> !relax.object {
  %w = relax.shape [2, 2]
  %r = relax.ccl.all_to_all %x, %w : (!relax.tensor<[8], f32>, !relax.shape<[2, 2]>) -> !relax.tensor<[8], f32>
  relax.return %r : !relax.tensor<[8], f32>
}

// CHECK: ccl_all_to_all_C3.mlir:7:8: error: @f: relax.ccl.all_to_all (%r): expected a shape of one size (C3), found !relax.shape<[2, 2]>; write !relax.shape<[ranks]>{{$}}
