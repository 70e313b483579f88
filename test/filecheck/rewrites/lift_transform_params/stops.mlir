// RUN: relax-opt %s -p relax-lift-transform-params | filecheck %s
// RUN: relax-opt %s -p relax-canonicalize-bindings | filecheck %s --check-prefix KEPT

// The marked let keeps its users in @main; `relax.ones`, of constants alone, is computed in both.
relax.func @main(%x: !relax.tensor<[4], f32>, %w: !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32> attributes {num_input = 1 : i64} {
  %s = relax.shape [4]
  %o = relax.ones %s {dtype = f32} : (!relax.shape<[4]>) -> !relax.tensor<[4], f32>
  %a = relax.add %w, %o : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  %l = relax.let %a {stop_lift_params = true} : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  %e = relax.exp %l : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  %b = relax.add %x, %o : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  %r = relax.multiply %b, %e : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  relax.return %r : !relax.tensor<[4], f32>
}

// CHECK:      relax.func @main_transform_params
// CHECK:        relax.ones
// CHECK:        relax.add
// CHECK-NOT:    relax.exp
// CHECK:      relax.func @main(%x: !relax.tensor<[4], f32>, %a: !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32> attributes {num_input = 1 : i64} {
// CHECK:        relax.ones
// CHECK-NEXT:   %e = relax.exp %a : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// KEPT:         relax.let %a {stop_lift_params = true}
