// RUN: not relax-opt %s 2>&1 | filecheck %s

// A layout names an axis twice.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], f32>, %w: !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w {data_layout = "NCHH"} : (!relax.tensor<[1, 4, 8, 8], f32>, !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_C2_letters.mlir:6:8: error: @f: relax.conv2d (%r): expected 'data_layout' to name each of N, C, H, W once (C2), found "NCHH"; write them in the order of the axes, as in NCHW{{$}}
