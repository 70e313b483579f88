// RUN: relax-opt %s -p relax-reorder-take-after-matmul | filecheck %s

// CHECK-LABEL: @columns
// CHECK-NEXT:  [[U:%.*]] = relax.matmul %x, %w
// CHECK-NEXT:  relax.take [[U]], %i
relax.func @columns(%x: !relax.tensor<[n, 16], f32>, %w: !relax.tensor<[16, v], f32>, %i: !relax.tensor<[k], i64>) -> !relax.tensor<[n, k], f32> {
  %c = relax.take %w, %i {axis = 1 : i64} : (!relax.tensor<[16, v], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<[16, k], f32>
  %y = relax.matmul %x, %c : (!relax.tensor<[n, 16], f32>, !relax.tensor<[16, k], f32>) -> !relax.tensor<[n, k], f32>
  relax.return %y : !relax.tensor<[n, k], f32>
}
