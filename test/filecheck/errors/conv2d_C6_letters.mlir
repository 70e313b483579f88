// RUN: not relax-opt %s 2>&1 | filecheck %s

// The kernel has no batch.

relax.func @f(%x: !relax.tensor<[1, 4, 8, 8], f32>, %w: !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.object {
  %r = relax.conv2d %x, %w {kernel_layout = "NCHW"} : (!relax.tensor<[1, 4, 8, 8], f32>, !relax.tensor<[6, 4, 3, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: conv2d_C6_letters.mlir:6:8: error: @f: relax.conv2d (%r): expected 'kernel_layout' to name each of O, I, H, W once (C6), found "NCHW"; write them in the order of the axes, as in OIHW{{$}}
