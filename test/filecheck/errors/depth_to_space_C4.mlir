// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such mode.

relax.func @f(%x: !relax.tensor<[n, 4, 2, 2], f32>) -> !relax.object {
  %r = relax.depth_to_space %x {block_size = 2 : i64, mode = "RCD"} : (!relax.tensor<[n, 4, 2, 2], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: depth_to_space_C4.mlir:6:8: error: @f: relax.depth_to_space (%r): expected mode to be one of "DCR", "CRD" (C4), found "RCD"; correct mode{{$}}
