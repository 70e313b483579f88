// RUN: relax-opt %s -p 'relax-decompose-ops-for-training{func=norms}' | filecheck %s

// CHECK-LABEL: @norms
// CHECK:       [[M:%.*]] = relax.mean %x {axis = array<i64: 0, 2>}
// CHECK:       [[V:%.*]] = relax.variance %x {axis = array<i64: 0, 2>}
// CHECK:       relax.multiply {{%.*}}, [[M]]
// CHECK:       relax.multiply {{%.*}}, [[V]]
// CHECK-NEXT:  [[NEW:%.*]] = relax.add
// CHECK-NEXT:  [[U:%.*]] = relax.astype %u {dtype = f32}
// CHECK-NEXT:  relax.mean [[U]] {axis = array<i64: -1>, keepdims = true}
// CHECK:       [[Z:%.*]] = relax.astype {{%.*}} {dtype = f16}
// CHECK-NEXT:  relax.tuple {{%.*}}, [[NEW]], [[Z]]
relax.func @norms(%x: !relax.tensor<[2, 3, h], f32>, %p: !relax.tensor<[3], f32>, %q: !relax.tensor<[h], f16>, %u: !relax.tensor<[n, h], f16>) -> tuple<!relax.tensor<[2, 3, h], f32>, !relax.tensor<[3], f32>, !relax.tensor<[n, h], f16>> {
  %y, %m, %v = relax.batch_norm %x, %p, %p, %p, %p {axis = 1} : (!relax.tensor<[2, 3, h], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> (!relax.tensor<[2, 3, h], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>)
  %z = relax.layer_norm %u, %q, %q {axes = array<i64: -1>} : (!relax.tensor<[n, h], f16>, !relax.tensor<[h], f16>, !relax.tensor<[h], f16>) -> !relax.tensor<[n, h], f16>
  %t = relax.tuple %y, %v, %z : (!relax.tensor<[2, 3, h], f32>, !relax.tensor<[3], f32>, !relax.tensor<[n, h], f16>) -> tuple<!relax.tensor<[2, 3, h], f32>, !relax.tensor<[3], f32>, !relax.tensor<[n, h], f16>>
  relax.return %t : tuple<!relax.tensor<[2, 3, h], f32>, !relax.tensor<[3], f32>, !relax.tensor<[n, h], f16>>
}
