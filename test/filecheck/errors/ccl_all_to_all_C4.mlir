// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such axis.

relax.func @f(%x: !relax.tensor<[8, 4], f32>) -> !relax.object {
  %w = relax.shape [2]
  %r = relax.ccl.all_to_all %x, %w {concat_axis = 2 : i64} : (!relax.tensor<[8, 4], f32>, !relax.shape<[2]>) -> !relax.tensor<[4, 4], f32>
  relax.return %r : !relax.tensor<[4, 4], f32>
}

// CHECK: ccl_all_to_all_C4.mlir:7:8: error: @f: relax.ccl.all_to_all (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C4), found 2; axes count from zero, negative ones from the end{{$}}
