// RUN: not relax-opt %s 2>&1 | filecheck %s

// A single image has no batch.

relax.func @f(%x: !relax.tensor<[4, n, m], f32>) -> !relax.object {
  %r = relax.depth_to_space %x {block_size = 2 : i64} : (!relax.tensor<[4, n, m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: depth_to_space_C1.mlir:6:8: error: @f: relax.depth_to_space (%r): expected 'x' of rank 4 (C1), found rank 3; reshape it to NCHW{{$}}
