// RUN: relax-opt %s -p relax-expand-matmul-of-sum | filecheck %s

// CHECK-LABEL: @adapted
// CHECK:       [[U:%.*]] = relax.matmul %x, %w
// CHECK-NEXT:  [[V:%.*]] = relax.matmul %x, %d
// CHECK-NEXT:  relax.add [[U]], [[V]]
relax.func @adapted(%x: !relax.tensor<[n, 16], f32>, %w: !relax.tensor<[16, 8], f32>, %d: !relax.tensor<[16, 8], f32>) -> !relax.tensor<[n, 8], f32> {
  %s = relax.add %w, %d : (!relax.tensor<[16, 8], f32>, !relax.tensor<[16, 8], f32>) -> !relax.tensor<[16, 8], f32>
  %y = relax.matmul %x, %s : (!relax.tensor<[n, 16], f32>, !relax.tensor<[16, 8], f32>) -> !relax.tensor<[n, 8], f32>
  relax.return %y : !relax.tensor<[n, 8], f32>
}
