// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v3}' | filecheck %s

// Tiles of six pixels and two vectors of filters, which are packed ahead; 13 = 5 + 4 + 4. The three taps of a
// column are unrolled. The image is padded strip by strip, here as a whole.

// CHECK:       relax.constant dense<"0x{{.*}}"> : tensor<2x3x3x3x16xf32>
// CHECK:       func.func private @conv2d_relu
// CHECK:         %local = memref.alloc() {alignment = 64 : i64} : memref<3x15x15xf32>
// CHECK-COUNT-4: linalg.fill
// CHECK:         %tile = memref.alloc() {alignment = 64 : i64} : memref<13x13x16xf32>
// CHECK:         memref.collapse_shape %tile
// CHECK-SAME:      into memref<169x16xf32>
// CHECK:         memref.collapse_shape %out
// CHECK-SAME:      into memref<?x24x169xf32>
// CHECK:         scf.for %t0
// CHECK:           %x_1 = memref.subview %x[%t0, 0, 0, 0] [1, 3, 13, 13]
// CHECK:           linalg.generic {{.*}} ins(%x_1 {{.*}} outs(%local_
// CHECK:           scf.for %t2
// CHECK:             %w_1 = memref.subview %w[0, 0, 0, 0, 0] [1, 3, 3, 3, 16] [1, 1, 1, 1, 1]
// CHECK:             func.call @convolve_5x3x16_f32(%c3, %c3, %c1, %local_
// CHECK:             scf.for %t3
// CHECK:               memref.subview %local[0, %t2, %{{.*}}] [3, 3, 6]
// CHECK:               func.call @convolve_4x3x16_f32
// CHECK:           func.call @transpose_8x8_f32
// CHECK:           scf.for %t2
// CHECK:             memref.subview %w[%c1, 0, 0, 0, 0] [1, 3, 3, 3, 8] [1, 1, 1, 1, 1]
// CHECK:             func.call @convolve_5x3x8_f32
// CHECK:             func.call @convolve_4x3x8_f32
// CHECK:           func.call @transpose_8x8_f32
// CHECK:       func.func private @convolve_5x3x16_f32(
// CHECK-SAME:    %d4_apart: index {relax.symbol = "d4_apart"}
// CHECK-SAME:    %in0: memref<?x3x?xf32, strided<[?, ?, 1], offset: ?>>
// CHECK-SAME:    %in1: memref<?x3x?x16xf32, strided<[?, ?, ?, 1], offset: ?>>
// CHECK-SAME:    %out0: memref<5x16xf32, strided<[?, 1], offset: ?>>
// CHECK:         scf.for %d2
// CHECK:           scf.for %d4
// CHECK-COUNT-30:    vector.fma
// CHECK-NOT:       scf.for %d3
relax.func @main(%x: !relax.tensor<[n, 3, 13, 13], f32>) -> !relax.tensor<[n, 24, 13, 13], f32> {
  %w = relax.constant dense<2.0> : tensor<24x3x3x3xf32>
  %0 = relax.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : (!relax.tensor<[n, 3, 13, 13], f32>, !relax.tensor<[24, 3, 3, 3], f32>) -> !relax.tensor<[n, 24, 13, 13], f32>
  %1 = relax.relu %0 : (!relax.tensor<[n, 24, 13, 13], f32>) -> !relax.tensor<[n, 24, 13, 13], f32>
  relax.return %1 : !relax.tensor<[n, 24, 13, 13], f32>
}
