// RUN: not relax-opt %s 2>&1 | filecheck %s

// A block has at least one pixel.

relax.func @f(%x: !relax.tensor<[n, 4, 2, 2], f32>) -> !relax.object {
  %r = relax.space_to_depth %x {block_size = 0 : i64} : (!relax.tensor<[n, 4, 2, 2], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: space_to_depth_C2.mlir:6:8: error: @f: relax.space_to_depth (%r): expected block_size to be at least 1 (C2), found 0; correct block_size{{$}}
