// RUN: not relax-opt %s 2>&1 | filecheck %s

// Volumes have no such method.

relax.func @f(%x: !relax.tensor<[1, 2, 4, 4, 4], f32>, %g: !relax.tensor<[1, 2, 2, 2, 3], f32>) -> !relax.object {
  %r = relax.grid_sample3d %x, %g {method = "bicubic"} : (!relax.tensor<[1, 2, 4, 4, 4], f32>, !relax.tensor<[1, 2, 2, 2, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: grid_sample3d_C6.mlir:6:8: error: @f: relax.grid_sample3d (%r): expected method to be one of "bilinear", "nearest" (C6), found "bicubic"; correct method{{$}}
