// RUN: relax-opt %s -p relax-decompose-ops-for-inference | filecheck %s
// RUN: not relax-opt %s -p 'relax-decompose-ops-for-inference{func=norm}' 2>&1 | filecheck %s --check-prefix=NAME

// NAME: relax-decompose-ops-for-inference: expected the name of a function (@norms), found @norm; correct the option func

// CHECK-LABEL: @norms
// CHECK:       [[M:%.*]] = relax.expand_dims %p {axis = array<i64: 0, 2>}
// CHECK-NEXT:  [[D:%.*]] = relax.subtract %x, [[M]]
// CHECK:       [[S:%.*]] = relax.sqrt
// CHECK-NEXT:  relax.divide [[D]], [[S]]
// CHECK:       relax.multiply
// CHECK:       [[Y:%.*]] = relax.add
// CHECK-NEXT:  %z = relax.layer_norm %u
// CHECK-NEXT:  relax.tuple [[Y]], %p, %z
relax.func @norms(%x: !relax.tensor<[2, 3, h], f32>, %p: !relax.tensor<[3], f32>, %q: !relax.tensor<[h], f16>, %u: !relax.tensor<[n, h], f16>) -> tuple<!relax.tensor<[2, 3, h], f32>, !relax.tensor<[3], f32>, !relax.tensor<[n, h], f16>> {
  %y, %m, %v = relax.batch_norm %x, %p, %p, %p, %p {axis = 1} : (!relax.tensor<[2, 3, h], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> (!relax.tensor<[2, 3, h], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>)
  %z = relax.layer_norm %u, %q, %q {axes = array<i64: -1>} : (!relax.tensor<[n, h], f16>, !relax.tensor<[h], f16>, !relax.tensor<[h], f16>) -> !relax.tensor<[n, h], f16>
  %t = relax.tuple %y, %v, %z : (!relax.tensor<[2, 3, h], f32>, !relax.tensor<[3], f32>, !relax.tensor<[n, h], f16>) -> tuple<!relax.tensor<[2, 3, h], f32>, !relax.tensor<[3], f32>, !relax.tensor<[n, h], f16>>
  relax.return %t : tuple<!relax.tensor<[2, 3, h], f32>, !relax.tensor<[3], f32>, !relax.tensor<[n, h], f16>>
}
