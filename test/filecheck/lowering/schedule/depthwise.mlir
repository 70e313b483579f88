// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v3}' | filecheck %s

// A channel is staged with its border, then computed four rows at a time.

// CHECK:       func.func private @conv2d_relu
// CHECK:         %rows = memref.alloc() {alignment = 64 : i64} : memref<1x17x32xf32>
// CHECK:         %sums = memref.alloc() {alignment = 64 : i64} : memref<8x8xf32>
// CHECK:         scf.for %n_1
// CHECK:           scf.for %c
// CHECK:             linalg.generic {{.*}} ins(%x_1 {{.*}} outs(%rows_
// CHECK:             scf.for %y
// CHECK:               func.call @depthwise_3x3_4_f32_step2x2
// CHECK:             linalg.generic
// CHECK-SAME:          ins(%sums_
// CHECK:               arith.maximumf
// CHECK:       func.func private @depthwise_3x3_4_f32_step2x2(%width: index {relax.symbol = "width"}
// CHECK-SAME:    %image: memref<9x?xf32, strided<[?, 1], offset: ?>>
// CHECK-SAME:    %filter: memref<3x3xf32, strided<[3, 1], offset: ?>>
// CHECK:         scf.for %x = %c0 to %width step %c8
// CHECK:           vector.shuffle
// CHECK:           vector.fma
// CHECK-COUNT-4:   vector.store
relax.func @main(%x: !relax.tensor<[n, 8, 14, 14], f32>, %w: !relax.tensor<[8, 1, 3, 3], f32>) -> !relax.tensor<[n, 8, 7, 7], f32> {
  %0 = relax.conv2d %x, %w {groups = 8 : i64, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (!relax.tensor<[n, 8, 14, 14], f32>, !relax.tensor<[8, 1, 3, 3], f32>) -> !relax.tensor<[n, 8, 7, 7], f32>
  %1 = relax.relu %0 : (!relax.tensor<[n, 8, 7, 7], f32>) -> !relax.tensor<[n, 8, 7, 7], f32>
  relax.return %1 : !relax.tensor<[n, 8, 7, 7], f32>
}
