// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such axis.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %w = relax.shape [2]
  %r = relax.ccl.allgather %x, %w {axis = 1 : i64} : (!relax.tensor<[n], f32>, !relax.shape<[2]>) -> !relax.tensor<[2 * n], f32>
  relax.return %r : !relax.tensor<[2 * n], f32>
}

// CHECK: ccl_allgather_C2.mlir:7:8: error: @f: relax.ccl.allgather (%r): expected an axis from -1 to 0 for a tensor of rank 1 (C2), found 1; axes count from zero, negative ones from the end{{$}}
