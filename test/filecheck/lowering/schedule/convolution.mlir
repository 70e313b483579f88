// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v3}' | filecheck %s

// Few filters, which do not fill vectors. Strips of rows: what their windows see is copied, then filters and windows are multiplied in tiles.

// CHECK:       func.func private @conv2d_relu
// CHECK:         %windows = memref.alloc() {alignment = 64 : i64} : memref<16x3x3x12x16xf32>
// CHECK-NEXT:    memref.collapse_shape %windows
// CHECK-SAME:      into memref<144x192xf32>
// CHECK:         memref.expand_shape %out
// CHECK-SAME:      into memref<?x9x1x12x16xf32>
// CHECK:         scf.for
// CHECK-NEXT:      scf.for
// CHECK:             %{{.*}} = memref.subview %filled[%n_1, 0, %{{.*}}, 0] [1, 16, 14, 18] [1, 1, 1, 1]
// CHECK-NEXT:        linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, (d3 + d1), (d4 + d2))>
// CHECK-SAME:          outs(%windows
// CHECK:             func.call @contract_5x16_f32
// CHECK:             arith.maximumf
// CHECK:         memref.dealloc %windows
// CHECK:         memref.dealloc %filled
relax.func @main(%x: !relax.tensor<[n, 16, 12, 16], f32>, %w: !relax.tensor<[9, 16, 3, 3], f32>) -> !relax.tensor<[n, 9, 12, 16], f32> {
  %0 = relax.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : (!relax.tensor<[n, 16, 12, 16], f32>, !relax.tensor<[9, 16, 3, 3], f32>) -> !relax.tensor<[n, 9, 12, 16], f32>
  %1 = relax.relu %0 : (!relax.tensor<[n, 9, 12, 16], f32>) -> !relax.tensor<[n, 9, 12, 16], f32>
  relax.return %1 : !relax.tensor<[n, 9, 12, 16], f32>
}
