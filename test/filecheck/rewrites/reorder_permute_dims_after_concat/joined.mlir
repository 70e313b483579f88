// RUN: relax-opt %s -p relax-reorder-permute-dims-after-concat | filecheck %s

// CHECK-LABEL: @joined
// CHECK-NEXT:  [[C:%.*]] = relax.concat %a, %b {axis = 0 : i64}
// CHECK-NEXT:  relax.permute_dims [[C]]
relax.func @joined(%a: !relax.tensor<[8, 16], f32>, %b: !relax.tensor<[k, 16], f32>) -> !relax.tensor<[16, k + 8], f32> {
  %s = relax.permute_dims %a : (!relax.tensor<[8, 16], f32>) -> !relax.tensor<[16, 8], f32>
  %t = relax.permute_dims %b : (!relax.tensor<[k, 16], f32>) -> !relax.tensor<[16, k], f32>
  %y = relax.concat %s, %t {axis = 1 : i64} : (!relax.tensor<[16, 8], f32>, !relax.tensor<[16, k], f32>) -> !relax.tensor<[16, k + 8], f32>
  relax.return %y : !relax.tensor<[16, k + 8], f32>
}
