// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v3}' | filecheck %s

// Rows of a channel with their border, in whole vectors, computed four at a time.

// CHECK:       func.func private @conv2d_relu
// CHECK:         %local = memref.alloc() {alignment = 64 : i64} : memref<17x32xf32>
// CHECK:         linalg.fill
// CHECK:         %tile = memref.alloc() {alignment = 64 : i64} : memref<8x8xf32>
// CHECK:         scf.for %t0
// CHECK:           scf.for %t1
// CHECK:             linalg.generic {{.*}} ins(%x_1 {{.*}} outs(%local_
// CHECK:             func.call @convolve_rows_4x3x3_f32
// CHECK:             linalg.generic
// CHECK-SAME:          ins(%tile_
// CHECK:               arith.maximumf
// CHECK:       func.func private @convolve_rows_4x3x3_f32(%d1: index {relax.symbol = "d1"}
// CHECK-SAME:    %in0: memref<9x?xf32, strided<[?, 1], offset: ?>> {relax.dims = ["9",
// CHECK-SAME:    %in1: memref<3x3xf32, strided<[?, 1], offset: ?>>
// CHECK:         scf.for %d1_1 = %c0 to %d1 step %c8
// CHECK:           vector.shuffle
// CHECK:           vector.fma
// CHECK-COUNT-4:   vector.store
relax.func @main(%x: !relax.tensor<[n, 8, 14, 14], f32>, %w: !relax.tensor<[8, 1, 3, 3], f32>) -> !relax.tensor<[n, 8, 7, 7], f32> {
  %0 = relax.conv2d %x, %w {groups = 8 : i64, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (!relax.tensor<[n, 8, 14, 14], f32>, !relax.tensor<[8, 1, 3, 3], f32>) -> !relax.tensor<[n, 8, 7, 7], f32>
  %1 = relax.relu %0 : (!relax.tensor<[n, 8, 7, 7], f32>) -> !relax.tensor<[n, 8, 7, 7], f32>
  relax.return %1 : !relax.tensor<[n, 8, 7, 7], f32>
}
