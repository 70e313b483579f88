// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v4}' | filecheck %s

// Four bytes of a column are one i32, zeros where the depth ends; two signed operands make the right one
// unsigned: 7 becomes 135, and 128 times the sums of the rows go off again.

// CHECK:       %w = relax.constant dense<
// CHECK-SAME:    > : tensor<1x3x48xi32>
// CHECK:       func.func private @matmul
// CHECK:         %row_sums = memref.alloc(%n)
// CHECK:         arith.extsi %{{.*}} : i8 to i32
// CHECK:         %padded = memref.alloc(%n) {{.*}} : memref<?x12xi8>
// CHECK:         linalg.fill ins(%{{.*}} : i8) outs(%{{.*}} : memref<?x2xi8, strided<[12, 1], offset: ?>>)
// CHECK:         scf.for %t = %t0 to %t1 step
// CHECK:           func.call @contract_up_to_8x48_i8_ui8(%{{.*}}, %c3,
// CHECK:           arith.constant -128 : i32
// CHECK:         memref.dealloc %padded
// CHECK:       func.func private @dot4_u8i8_x16(
// CHECK-SAME:    relax.intrinsic = "dot4_u8i8"
// CHECK:       func.func private @contract_8x48_i8_ui8(%depth: index {relax.symbol = "depth"},
// CHECK-SAME:    {relax.dims = ["8", "4 * depth"]}
// CHECK:         scf.for %k =
// CHECK:           vector.load %b[%k, %c0] : memref<?x48xi32, strided<[?, 1], offset: ?>>, vector<16xi32>
// CHECK:           vector.load %a[%c0, %{{.*}}] : memref<8x?xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
// CHECK:           func.call @dot4_u8i8_x16(
relax.func @main(%x: !relax.tensor<[n, 10], i8>) -> !relax.tensor<[n, 48], i32> {
  %w = relax.constant dense<7> : tensor<10x48xi8>
  %0 = relax.matmul %x, %w {out_dtype = i32} : (!relax.tensor<[n, 10], i8>, !relax.tensor<[10, 48], i8>) -> !relax.tensor<[n, 48], i32>
  relax.return %0 : !relax.tensor<[n, 48], i32>
}
