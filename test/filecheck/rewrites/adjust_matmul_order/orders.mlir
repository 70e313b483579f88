// RUN: relax-opt %s -p relax-adjust-matmul-order | filecheck %s

// CHECK-LABEL: @low_rank
// CHECK-NEXT:  [[U:%.*]] = relax.linear %x, %b : {{.*}} -> !relax.tensor<[r], f32>
// CHECK-NEXT:  [[Y:%.*]] = relax.linear [[U]], %a : {{.*}} -> !relax.tensor<[32], f32>
// CHECK-NEXT:  relax.return [[Y]]
relax.func @low_rank(%x: !relax.tensor<[16], f32>, %a: !relax.tensor<[32, r], f32>, %b: !relax.tensor<[r, 16], f32>) -> !relax.tensor<[32], f32> {
  %w = relax.matmul %a, %b : (!relax.tensor<[32, r], f32>, !relax.tensor<[r, 16], f32>) -> !relax.tensor<[32, 16], f32>
  %t = relax.permute_dims %w : (!relax.tensor<[32, 16], f32>) -> !relax.tensor<[16, 32], f32>
  %y = relax.matmul %x, %t : (!relax.tensor<[16], f32>, !relax.tensor<[16, 32], f32>) -> !relax.tensor<[32], f32>
  relax.return %y : !relax.tensor<[32], f32>
}
// Weights: computed before the run.
// CHECK-LABEL: @weights
// CHECK:       relax.matmul %a, %b
// CHECK-NEXT:  relax.matmul %x
relax.func @weights(%x: !relax.tensor<[1, 16], f32>, %a: !relax.tensor<[16, 2], f32>, %b: !relax.tensor<[2, 16], f32>) -> !relax.tensor<[1, 16], f32> attributes {num_input = 1 : i64} {
  %w = relax.matmul %a, %b : (!relax.tensor<[16, 2], f32>, !relax.tensor<[2, 16], f32>) -> !relax.tensor<[16, 16], f32>
  %y = relax.matmul %x, %w : (!relax.tensor<[1, 16], f32>, !relax.tensor<[16, 16], f32>) -> !relax.tensor<[1, 16], f32>
  relax.return %y : !relax.tensor<[1, 16], f32>
}
