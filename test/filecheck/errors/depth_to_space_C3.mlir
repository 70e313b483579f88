// RUN: not relax-opt %s 2>&1 | filecheck %s

// 6 channels are no blocks of 4.

relax.func @f(%x: !relax.tensor<[n, 6, 2, 2], f32>) -> !relax.object {
  %r = relax.depth_to_space %x {block_size = 2 : i64} : (!relax.tensor<[n, 6, 2, 2], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: depth_to_space_C3.mlir:6:8: error: @f: relax.depth_to_space (%r): expected a number of channels divisible by 4 (C3), found 6; pad, slice or reshape the tensor{{$}}
