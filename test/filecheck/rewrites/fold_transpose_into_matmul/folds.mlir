// RUN: relax-opt %s -p 'relax-fold-transpose-into-matmul' | filecheck %s

relax.func @matmul(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[4, 8], f32>) -> !relax.tensor<[n, 4], f32> {
  %t = relax.permute_dims %w : (!relax.tensor<[4, 8], f32>) -> !relax.tensor<[8, 4], f32>
  %y = relax.matmul %x, %t : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %y : !relax.tensor<[n, 4], f32>
}
relax.func @linear(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[8, 4], f32>, %b: !relax.tensor<[4], f32>) -> !relax.object {
  %t = relax.permute_dims %w {axes = array<i64: 1, 0>} : (!relax.tensor<[8, 4], f32>) -> !relax.tensor<[4, 8], f32>
  %y = relax.linear %x, %t : (!relax.tensor<[n, 8], f32>, !relax.tensor<[4, 8], f32>) -> !relax.tensor<[n, 4], f32>
  %z = relax.linear %x, %t, %b : (!relax.tensor<[n, 8], f32>, !relax.tensor<[4, 8], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32>
  %r = relax.tuple %y, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
}
// Transposed here.
relax.func @constant(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 3], f32> {
  %w = relax.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %t = relax.permute_dims %w : (!relax.tensor<[3, 2], f32>) -> !relax.tensor<[2, 3], f32>
  %y = relax.matmul %x, %t : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[n, 3], f32>
  relax.return %y : !relax.tensor<[n, 3], f32>
}
// Used elsewhere: read in place.
relax.func @shared_constant(%x: !relax.tensor<[n, 2], f32>, %y: !relax.tensor<[n, 3], f32>) -> !relax.object {
  %w = relax.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %t = relax.permute_dims %w : (!relax.tensor<[3, 2], f32>) -> !relax.tensor<[2, 3], f32>
  %a = relax.matmul %x, %t : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[n, 3], f32>
  %b = relax.matmul %y, %w : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3, 2], f32>) -> !relax.tensor<[n, 2], f32>
  %r = relax.tuple %a, %b : (!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 2], f32>) -> tuple<!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 2], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 2], f32>>
}
// It stays for its other user.
relax.func @transposition_used_elsewhere(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[4, 8], f32>) -> !relax.object {
  %t = relax.permute_dims %w : (!relax.tensor<[4, 8], f32>) -> !relax.tensor<[8, 4], f32>
  %y = relax.matmul %x, %t : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %e = relax.exp %t : (!relax.tensor<[8, 4], f32>) -> !relax.tensor<[8, 4], f32>
  %r = relax.tuple %y, %e : (!relax.tensor<[n, 4], f32>, !relax.tensor<[8, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[8, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[8, 4], f32>>
}
relax.func @batches_on_the_left(%x: !relax.tensor<[b, n, 8], f32>, %w: !relax.tensor<[4, 8], f32>) -> !relax.tensor<[b, n, 4], f32> {
  %t = relax.permute_dims %w : (!relax.tensor<[4, 8], f32>) -> !relax.tensor<[8, 4], f32>
  %y = relax.matmul %x, %t : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[b, n, 4], f32>
  relax.return %y : !relax.tensor<[b, n, 4], f32>
}

// CHECK:       relax.func @matmul(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[4, 8], f32>) -> !relax.tensor<[n, 4], f32> {
// CHECK-NEXT:    %y = relax.linear %x, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[4, 8], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @linear(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[8, 4], f32>, %b: !relax.tensor<[4], f32>) -> !relax.object {
// CHECK-NEXT:    %y = relax.matmul %x, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %z = relax.matmul %x, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %z_1 = relax.add %z, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %r = relax.tuple %y, %z_1 : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @constant(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 3], f32> {
// CHECK-NEXT:    %t = relax.constant dense<[[1.000000e+00, 3.000000e+00, 5.000000e+00], [2.000000e+00, 4.000000e+00, 6.000000e+00]]> : tensor<2x3xf32>
// CHECK-NEXT:    %y = relax.matmul %x, %t : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[n, 3], f32>
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n, 3], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @shared_constant(%x: !relax.tensor<[n, 2], f32>, %y: !relax.tensor<[n, 3], f32>) -> !relax.object {
// CHECK-NEXT:    %w = relax.constant dense<[[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>
// CHECK-NEXT:    %a = relax.linear %x, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[3, 2], f32>) -> !relax.tensor<[n, 3], f32>
// CHECK-NEXT:    %b = relax.matmul %y, %w : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3, 2], f32>) -> !relax.tensor<[n, 2], f32>
// CHECK-NEXT:    %r = relax.tuple %a, %b : (!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 2], f32>) -> tuple<!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 2], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 2], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @transposition_used_elsewhere(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[4, 8], f32>) -> !relax.object {
// CHECK-NEXT:    %t = relax.permute_dims %w : (!relax.tensor<[4, 8], f32>) -> !relax.tensor<[8, 4], f32>
// CHECK-NEXT:    %y = relax.linear %x, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[4, 8], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %e = relax.exp %t : (!relax.tensor<[8, 4], f32>) -> !relax.tensor<[8, 4], f32>
// CHECK-NEXT:    %r = relax.tuple %y, %e : (!relax.tensor<[n, 4], f32>, !relax.tensor<[8, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[8, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[8, 4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @batches_on_the_left(%x: !relax.tensor<[b, n, 8], f32>, %w: !relax.tensor<[4, 8], f32>) -> !relax.tensor<[b, n, 4], f32> {
// CHECK-NEXT:    %y = relax.linear %x, %w : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[4, 8], f32>) -> !relax.tensor<[b, n, 4], f32>
// CHECK-NEXT:    relax.return %y : !relax.tensor<[b, n, 4], f32>
// CHECK-NEXT:  }
