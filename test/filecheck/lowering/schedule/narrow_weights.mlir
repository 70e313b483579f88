// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v4}' | filecheck %s

// Weights are laid out in panels as they are, eight of four bits in a word, scales beside them, and decoded in
// registers; rows share it. Scales of columns are applied to the sums.

// CHECK-LABEL: relax.func @columns
// CHECK:         %weights = relax.constant dense<{{.*}} : tensor<1x64x48xui16>
// CHECK:         relax.call_tir @matmul_bf16_multiply(%x, %weights, %s)
// CHECK-LABEL: relax.func @groups
// CHECK-DAG:     relax.constant dense<{{.*}} : tensor<1x2x4x48xi32>
// CHECK-DAG:     relax.constant dense<{{.*}} : tensor<1x2x48xf32>
// CHECK:         relax.call_tir @matmul_i4_scale(
// CHECK:       func.func private @contract_1x48
// CHECK:         vector.load %in1{{.*}} vector<16xui16>
// CHECK:         arith.shli %{{.*}} : vector<16xi32>
// CHECK:         vector.fma
// CHECK:       func.func private @contract_1x
// CHECK:         vector.load %in1{{.*}} vector<16xi32>
// CHECK:         arith.shrsi %{{.*}} : vector<16xi32>
// CHECK:         arith.sitofp %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK:         vector.fma
relax.func @columns(%x: !relax.tensor<[1, 64], f32>) -> !relax.tensor<[1, 48], f32> {
  %w = relax.constant dense<2.0> : tensor<64x48xbf16>
  %f = relax.astype %w {dtype = f32} : (!relax.tensor<[64, 48], bf16>) -> !relax.tensor<[64, 48], f32>
  %s = relax.constant dense<0.5> : tensor<48xf32>
  %p = relax.matmul %x, %f : (!relax.tensor<[1, 64], f32>, !relax.tensor<[64, 48], f32>) -> !relax.tensor<[1, 48], f32>
  %y = relax.multiply %p, %s : (!relax.tensor<[1, 48], f32>, !relax.tensor<[48], f32>) -> !relax.tensor<[1, 48], f32>
  relax.return %y : !relax.tensor<[1, 48], f32>
}
relax.func @groups(%x: !relax.tensor<[1, 64], f32>) -> !relax.tensor<[1, 48], f32> {
  %q = relax.constant dense<-5> : tensor<64x48xi4>
  %s = relax.constant dense<"0x0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000003F0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E0000803E"> : tensor<2x48xf32>
  %z = relax.constant dense<0> : tensor<i4>
  %w = relax.dequantize %q, %s, %z {axis = 0, block_size = 32} : (!relax.tensor<[64, 48], i4>, !relax.tensor<[2, 48], f32>, !relax.tensor<[], i4>) -> !relax.tensor<[64, 48], f32>
  %y = relax.matmul %x, %w : (!relax.tensor<[1, 64], f32>, !relax.tensor<[64, 48], f32>) -> !relax.tensor<[1, 48], f32>
  relax.return %y : !relax.tensor<[1, 48], f32>
}
