// RUN: relax-opt %s --verify-diagnostics | filecheck %s

// CHECK: memref.transpose: expected a memref and an order of its dimensions, found memref<3x4xf32> and [0, 0]; correct one of them
func.func @f(%m: memref<3x4xf32>) {
  %t = memref.transpose %m (i, j) -> (i, i) : memref<3x4xf32> to memref<3x3xf32>
  func.return
}
