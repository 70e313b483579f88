// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v3}' | filecheck %s

// Tiles of six pixels and two vectors of filters, which are packed ahead; 13 = 5 + 4 + 4. The image is padded
// strip by strip, here as a whole.

// CHECK:       relax.constant dense<"0x{{.*}}"> : tensor<2x3x3x3x16xf32>
// CHECK:       func.func private @conv2d_relu
// CHECK:         %out_1 = memref.collapse_shape %out
// CHECK-SAME:      into memref<?x24x169xf32>
// CHECK-NEXT:    %tile = memref.alloc() {alignment = 64 : i64} : memref<169x16xf32>
// CHECK-NEXT:    %rows = memref.alloc() {alignment = 64 : i64} : memref<3x15x15xf32>
// CHECK:         scf.for %n_1
// CHECK:           %x_1 = memref.subview %x[%n_1, 0, 0, 0] [1, 3, 13, 13]
// CHECK:           linalg.generic {{.*}} ins(%x_1 {{.*}} outs(%rows_
// CHECK:           %filters = memref.subview %w[0, 0, 0, 0, 0] [1, 3, 3, 3, 16] [1, 1, 1, 1, 1]
// CHECK:           scf.for %y
// CHECK:             scf.for %t
// CHECK:               memref.subview %rows[0, %y, %{{.*}}] [3, 3, %{{.*}}]
// CHECK:               scf.index_switch
// CHECK-NEXT:          case 4 {
// CHECK:                 func.call @convolve_4x16_f32
// CHECK:               default {
// CHECK:                 func.call @convolve_5x16_f32
// CHECK:           func.call @transpose_16x16_f32
// CHECK:           arith.maximumf
// CHECK:           %filters_{{.*}} = memref.subview %w[%{{.*}}, 0, 0, 0, 0] [1, 3, 3, 3, 8] [1, 1, 1, 1, 1]
// CHECK:                 func.call @convolve_4x8_f32
// CHECK:           arith.maximumf
// CHECK:       func.func private @convolve_5x16_f32(%channels: index {relax.symbol = "channels"}
// CHECK-SAME:    %image: memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
// CHECK-SAME:    %filters: memref<?x?x?x16xf32, strided<[?, ?, ?, 1], offset: ?>>
// CHECK-SAME:    %sums: memref<5x16xf32, strided<[?, 1], offset: ?>>
// CHECK:         scf.for %c = %c0 to %channels step %c1
// CHECK:           scf.for %r = %c0 to %rows step %c1
// CHECK:             scf.for %s = %c0 to %columns step %c1
// CHECK-COUNT-10:      vector.fma
relax.func @main(%x: !relax.tensor<[n, 3, 13, 13], f32>) -> !relax.tensor<[n, 24, 13, 13], f32> {
  %w = relax.constant dense<2.0> : tensor<24x3x3x3xf32>
  %0 = relax.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : (!relax.tensor<[n, 3, 13, 13], f32>, !relax.tensor<[24, 3, 3, 3], f32>) -> !relax.tensor<[n, 24, 13, 13], f32>
  %1 = relax.relu %0 : (!relax.tensor<[n, 24, 13, 13], f32>) -> !relax.tensor<[n, 24, 13, 13], f32>
  relax.return %1 : !relax.tensor<[n, 24, 13, 13], f32>
}
