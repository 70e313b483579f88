// RUN: not relax-opt %s 2>&1 | filecheck %s

// 3 columns are no blocks of 2.

relax.func @f(%x: !relax.tensor<[n, 4, 2, 3], f32>) -> !relax.object {
  %r = relax.space_to_depth %x {block_size = 2 : i64} : (!relax.tensor<[n, 4, 2, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: space_to_depth_C3.mlir:6:8: error: @f: relax.space_to_depth (%r): expected a width divisible by 2 (C3), found 3; pad, slice or reshape the tensor{{$}}
