// RUN: relax-opt %s | filecheck %s

// CHECK:      %t = memref.reinterpret_cast %m to offset: [7], sizes: [4, 2, 3], strides: [1, 40, 4]
// CHECK-SAME:   : memref<2x3x4xf32, strided<[40, 4, 1], offset: 7>> to memref<4x2x3xf32, strided<[1, 40, 4], offset: 7>>
func.func @f(%m: memref<2x3x4xf32, strided<[40, 4, 1], offset: 7>>) {
  %t = memref.transpose %m (i, j, k) -> (k, i, j) : memref<2x3x4xf32, strided<[40, 4, 1], offset: 7>> to memref<4x2x3xf32, strided<[1, 40, 4], offset: 7>>
  func.return
}
