// RUN: not relax-opt %s -t c 2>&1 | filecheck %s

// An error of the C target shows the op that it is about.
func.func @f(%x: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant dense<0.0> : vector<7xf16>
  func.return
}

// CHECK: unsupported_op.mlir:6:8: error: @f: C: type vector<7xf16> is not supported: expected a power of two as length, found 7; split it into such
// CHECK-NEXT: %z = arith.constant dense<0.0> : vector<7xf16>
// CHECK-NEXT: ^
