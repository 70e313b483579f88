// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v4}' | filecheck %s

// Four bytes of a column lie side by side, zeros where the depth ends; two signed operands make the right one
// unsigned: 7 becomes 135, and 128 times the sums of the rows go off again.

// CHECK:       %w = relax.constant dense<
// CHECK-SAME:    > : tensor<1x3x192xui8>
// CHECK:       func.func private @matmul
// CHECK:         %sums_1 = memref.alloc(%n) {alignment = 64 : i64} : memref<?xi32>
// CHECK:         arith.extsi %{{.*}} : i8 to i32
// CHECK:         %padded = memref.alloc(%n) {{.*}} : memref<?x12xi8>
// CHECK:         linalg.fill ins(%{{.*}} : i8) outs(%{{.*}} : memref<?x2xi8, strided<[12, 1], offset: ?>>)
// CHECK:         scf.for %t0
// CHECK:           func.call @contract_up_to_8x48_i8_ui8(%{{.*}}, %c3,
// CHECK:           arith.constant -128 : i32
// CHECK:         memref.dealloc %padded
// CHECK:       func.func private @dot4_u8i8_x16(
// CHECK-SAME:    relax.intrinsic = "dot4_u8i8"
// CHECK:       func.func private @contract_8x48_i8_ui8(%d2: index {relax.symbol = "d2"},
// CHECK-SAME:    {relax.dims = ["8", "4 * d2"]}
// CHECK:         scf.for %d2_1 =
// CHECK:           vector.load %in0[%c0, %{{.*}}] : memref<8x?xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
// CHECK:           vector.load %in1[%d2_1, %c0] : memref<?x192xui8, strided<[?, 1], offset: ?>>, vector<64xui8>
// CHECK:           func.call @dot4_u8i8_x16(
relax.func @main(%x: !relax.tensor<[n, 10], i8>) -> !relax.tensor<[n, 48], i32> {
  %w = relax.constant dense<7> : tensor<10x48xi8>
  %0 = relax.matmul %x, %w {out_dtype = i32} : (!relax.tensor<[n, 10], i8>, !relax.tensor<[10, 48], i8>) -> !relax.tensor<[n, 48], i32>
  relax.return %0 : !relax.tensor<[n, 48], i32>
}
