// RUN: relax-opt %s --verify-diagnostics | filecheck %s

// CHECK: memref.transpose: expected a memref whose sizes and strides are known, found memref<?x4xf32>; write memref.reinterpret_cast
func.func @f(%m: memref<?x4xf32>) {
  %t = memref.transpose %m (i, j) -> (j, i) : memref<?x4xf32> to memref<4x?xf32, strided<[1, 4]>>
  func.return
}
