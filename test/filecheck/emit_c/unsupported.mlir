// RUN: not relax-opt %s -t c 2>&1 | filecheck %s

func.func @f(%x: memref<4xf80>) {
  func.return
}

// CHECK: unsupported.mlir:3:1: error: @f: C: type f80 is not supported yet; supported are f16, bf16, f32, f64, index, i1, i8, i16, i32, i64
// CHECK-NEXT: func.func @f(%x: memref<4xf80>) {
