// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v3}' | filecheck %s

// What follows a convolution in groups is computed in its tiles, though a view stands between; the padded
// image is not made.

// CHECK:       func.func private @conv2d_add_relu
// CHECK-NOT:     memref.copy
// CHECK:         %b_1 = memref.expand_shape %b {{.*}} : memref<6x1x1xf32> into memref<2x3x1x1xf32>
// CHECK:         scf.for %t0
// CHECK:           scf.for %t1
// CHECK:             linalg.generic {{.*}} ins(%groups_
// CHECK:             func.call @convolve_rows_
// CHECK:             linalg.generic {{.*}} ins(%tile_{{[0-9]+}}, %b_
// CHECK:               arith.maximumf
// CHECK-NOT:     linalg.generic
// CHECK:       func.func private @convolve_rows_
relax.func @main(%x: !relax.tensor<[n, 4, 9, w], f32>, %f: !relax.tensor<[6, 2, 3, 3], f32>, %b: !relax.tensor<[6, 1, 1], f32>) -> !relax.tensor<[n, 6, 9, w], f32> {
  %0 = relax.conv2d %x, %f {groups = 2 : i64, padding = array<i64: 1, 1, 1, 1>} : (!relax.tensor<[n, 4, 9, w], f32>, !relax.tensor<[6, 2, 3, 3], f32>) -> !relax.tensor<[n, 6, 9, w], f32>
  %1 = relax.add %0, %b : (!relax.tensor<[n, 6, 9, w], f32>, !relax.tensor<[6, 1, 1], f32>) -> !relax.tensor<[n, 6, 9, w], f32>
  %2 = relax.relu %1 : (!relax.tensor<[n, 6, 9, w], f32>) -> !relax.tensor<[n, 6, 9, w], f32>
  relax.return %2 : !relax.tensor<[n, 6, 9, w], f32>
}
