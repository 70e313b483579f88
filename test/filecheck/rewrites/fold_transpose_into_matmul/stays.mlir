// RUN: relax-opt %s -p 'relax-fold-transpose-into-matmul' | filecheck %s

// Only a matrix.
relax.func @batches_on_the_right(%x: !relax.tensor<[b, n, 8], f32>, %w: !relax.tensor<[b, 4, 8], f32>) -> !relax.tensor<[b, n, 4], f32> {
  %t = relax.permute_dims %w {axes = array<i64: 0, 2, 1>} : (!relax.tensor<[b, 4, 8], f32>) -> !relax.tensor<[b, 8, 4], f32>
  %y = relax.matmul %x, %t : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, 8, 4], f32>) -> !relax.tensor<[b, n, 4], f32>
  relax.return %y : !relax.tensor<[b, n, 4], f32>
}
relax.func @left_operand(%x: !relax.tensor<[8, n], f32>, %w: !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %t = relax.permute_dims %x : (!relax.tensor<[8, n], f32>) -> !relax.tensor<[n, 8], f32>
  %y = relax.matmul %t, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %y : !relax.tensor<[n, 4], f32>
}
relax.func @other_axes(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %t = relax.permute_dims %w {axes = array<i64: 0, 1>} : (!relax.tensor<[8, 4], f32>) -> !relax.tensor<[8, 4], f32>
  %y = relax.matmul %x, %t : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %y : !relax.tensor<[n, 4], f32>
}
relax.func @unknown_rank(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<*, f32>) -> !relax.tensor<*, f32> {
  %t = relax.permute_dims %w : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  %y = relax.matmul %x, %t : (!relax.tensor<[n, 8], f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %y : !relax.tensor<*, f32>
}
// Its transposition is no product's.
relax.func @constant_for_another_op() -> !relax.tensor<[2, 3], f32> {
  %w = relax.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %t = relax.permute_dims %w : (!relax.tensor<[3, 2], f32>) -> !relax.tensor<[2, 3], f32>
  %y = relax.exp %t : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %y : !relax.tensor<[2, 3], f32>
}

// CHECK:       relax.func @batches_on_the_right(%x: !relax.tensor<[b, n, 8], f32>, %w: !relax.tensor<[b, 4, 8], f32>) -> !relax.tensor<[b, n, 4], f32> {
// CHECK-NEXT:    %t = relax.permute_dims %w {axes = array<i64: 0, 2, 1>} : (!relax.tensor<[b, 4, 8], f32>) -> !relax.tensor<[b, 8, 4], f32>
// CHECK-NEXT:    %y = relax.matmul %x, %t : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, 8, 4], f32>) -> !relax.tensor<[b, n, 4], f32>
// CHECK-NEXT:    relax.return %y : !relax.tensor<[b, n, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @left_operand(%x: !relax.tensor<[8, n], f32>, %w: !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32> {
// CHECK-NEXT:    %t = relax.permute_dims %x : (!relax.tensor<[8, n], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:    %y = relax.matmul %t, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @other_axes(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32> {
// CHECK-NEXT:    %t = relax.permute_dims %w {axes = array<i64: 0, 1>} : (!relax.tensor<[8, 4], f32>) -> !relax.tensor<[8, 4], f32>
// CHECK-NEXT:    %y = relax.matmul %x, %t : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @unknown_rank(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<*, f32>) -> !relax.tensor<*, f32> {
// CHECK-NEXT:    %t = relax.permute_dims %w : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
// CHECK-NEXT:    %y = relax.matmul %x, %t : (!relax.tensor<[n, 8], f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
// CHECK-NEXT:    relax.return %y : !relax.tensor<*, f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @constant_for_another_op() -> !relax.tensor<[2, 3], f32> {
// CHECK-NEXT:    %w = relax.constant dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
// CHECK-NEXT:    %t = relax.permute_dims %w : (!relax.tensor<[3, 2], f32>) -> !relax.tensor<[2, 3], f32>
// CHECK-NEXT:    %y = relax.exp %t : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
// CHECK-NEXT:    relax.return %y : !relax.tensor<[2, 3], f32>
// CHECK-NEXT:  }
