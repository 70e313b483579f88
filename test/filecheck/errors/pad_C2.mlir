// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such mode.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.pad %x {pad_width = array<i64: 1, 1>, pad_mode = "edge"} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: pad_C2.mlir:6:8: error: @f: relax.pad (%r): expected pad_mode to be one of "constant", "reflect", "replicate", "circular" (C2), found "edge"; correct pad_mode{{$}}
