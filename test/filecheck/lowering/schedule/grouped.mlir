// RUN: relax-opt %s -p relax-quantize-activations,relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v4}' | filecheck %s

// Integers of a group are multiplied word by word, eight products of 4-bit weights in two operations; then their
// sum is converted, corrected by the sum of the row's integers, and scaled.

// CHECK-LABEL: relax.func @main
// CHECK:         %[[TERMS:.*]], %[[LOW:.*]], %[[HIGH:.*]] = relax.call_tir @matmul_groups_of_32_halves(%codes)
// CHECK:         %weights = relax.constant dense<{{.*}} : tensor<1x2x4x192xui8>
// CHECK:         %scale = relax.constant dense<{{.*}} : tensor<1x2x48xf32>
// CHECK:         relax.call_tir @matmul_i8_ui4_scale(%{{.*}}, %[[TERMS]], %[[LOW]], %[[HIGH]], %weights, %scale)
// CHECK:       func.func private @dot4_u7i8_x16
// CHECK-SAME:    relax.intrinsic = "dot4_u7i8"
// CHECK:       func.func private @contract_
// CHECK:         scf.for
// CHECK:           %[[BYTES:.*]] = vector.load {{.*}} vector<64xui8>
// CHECK:           %[[WORDS:.*]] = vector.bitcast %[[BYTES]] : vector<64xui8> to vector<16xi32>
// CHECK:           %[[HALF:.*]] = arith.andi %[[WORDS]]
// CHECK:           func.call @dot4_u7i8_x16(%{{.*}}, %[[HALF]], %{{.*}})
// CHECK:           %[[UP:.*]] = arith.shrui %[[WORDS]]
// CHECK:           arith.andi %[[UP]]
// CHECK:           arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK:           arith.subf
// CHECK:           vector.fma
relax.func @main(%x: !relax.tensor<[1, 64], f32>) -> !relax.tensor<[1, 48], f32> {
  %q = relax.constant dense<-5> : tensor<64x48xi8>
  %s = relax.constant dense<"0x0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E"> : tensor<2x48xf32>
  %z = relax.constant dense<0> : tensor<i8>
  %w = relax.dequantize %q, %s, %z {axis = 0, block_size = 32} : (!relax.tensor<[64, 48], i8>, !relax.tensor<[2, 48], f32>, !relax.tensor<[], i8>) -> !relax.tensor<[64, 48], f32>
  %y = relax.matmul %x, %w : (!relax.tensor<[1, 64], f32>, !relax.tensor<[64, 48], f32>) -> !relax.tensor<[1, 48], f32>
  relax.return %y : !relax.tensor<[1, 48], f32>
}
