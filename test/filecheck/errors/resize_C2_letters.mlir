// RUN: not relax-opt %s 2>&1 | filecheck %s

// Images have no depth.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.shape<[5, 5]>) -> !relax.object {
  %r = relax.resize2d %a, %b {layout = "NCDW"} : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.shape<[5, 5]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: resize_C2_letters.mlir:6:8: error: @f: relax.resize2d (%r): expected 'layout' to name each of N, C, H, W once (C2), found "NCDW"; write them in the order of the axes, as in NCHW{{$}}
