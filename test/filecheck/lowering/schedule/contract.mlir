// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v3}' | filecheck %s
// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v4}' | filecheck %s --check-prefix=WIDE

// Six rows of two vectors; the weights, a constant, become panels of 16 columns (48 with wider vectors). A single
// row has four accumulators for each vector.

// CHECK:       relax.func @main
// CHECK-NEXT:    %w = relax.constant dense<1.000000e+00> : tensor<3x64x16xf32>
// CHECK-NEXT:    relax.call_tir @matmul_add_relu(%x, %w, %b)
// CHECK:       func.func private @matmul_add_relu
// CHECK-SAME:    %w: memref<3x64x16xf32> {relax.dims = ["3", "64", "16"]}
// CHECK:         scf.for %t0 =
// CHECK:           scf.for %t1 = %c0 to %c3 step %c1
// CHECK:             scf.for %t0_1 =
// CHECK:               %x_1 = memref.subview %x[%i0_1, 0] [%n0_1, 64] [1, 1]
// CHECK-NEXT:          %w_1 = memref.subview %w[%t1, 0, 0] [1, 64, 16] [1, 1, 1]
// CHECK-NEXT:          %out_1 = memref.subview %out[%i0_1, %i1] [%n0_1, 16] [1, 1]
// CHECK:               func.call @contract_up_to_6x16_f32(%n0_1, %c64,
// CHECK:               linalg.generic
// CHECK-SAME:            outs(%{{.*}} : memref<?x16xf32, strided<[48, 1], offset: ?>>)
// CHECK:       func.func private @contract_1x16_f32(%d2: index {relax.symbol = "d2"},
// CHECK:         %[[WHOLE:.*]] = arith.subi %d2, %{{.*}}
// CHECK:         %{{.*}}, %{{.*}} = scf.for %d2_1 = %c0 to %[[WHOLE]] step %c4 iter_args(
// CHECK:           vector.load %in1[%d2_1, %c0] : memref<?x16xf32, strided<[?, 1], offset: ?>>, vector<8xf32>
// CHECK:           vector.fma
// CHECK:         vector.store
// CHECK:       func.func private @contract_6x16_f32
// CHECK-SAME:    relax.noinline
// CHECK:       func.func private @contract_up_to_6x16_f32(%d0: index {relax.symbol = "d0"}, %d2: index {relax.symbol = "d2"},
// CHECK-SAME:    relax.noinline
// CHECK:         scf.index_switch %d0
// CHECK-NEXT:    case 1 {
// CHECK:           func.call @contract_1x16_f32(%d2,
// CHECK:         default {
// CHECK:           func.call @contract_6x16_f32(%d2,

// WIDE:        %w = relax.constant dense<1.000000e+00> : tensor<1x64x48xf32>
// WIDE:        func.func private @contract_8x48_f32
relax.func @main(%x: !relax.tensor<[n, 64], f32>, %b: !relax.tensor<[48], f32>) -> !relax.tensor<[n, 48], f32> {
  %w = relax.constant dense<1.0> : tensor<64x48xf32>
  %0 = relax.matmul %x, %w : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, 48], f32>) -> !relax.tensor<[n, 48], f32>
  %1 = relax.add %0, %b : (!relax.tensor<[n, 48], f32>, !relax.tensor<[48], f32>) -> !relax.tensor<[n, 48], f32>
  %2 = relax.relu %1 : (!relax.tensor<[n, 48], f32>) -> !relax.tensor<[n, 48], f32>
  relax.return %2 : !relax.tensor<[n, 48], f32>
}
