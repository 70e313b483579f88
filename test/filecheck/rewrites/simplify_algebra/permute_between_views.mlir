// RUN: relax-opt %s -p relax-simplify-algebra,relax-dce | filecheck %s
// RUN: relax-opt %s -p canonicalize | filecheck %s

// the key of attention as PyTorch's exporter turns it
relax.func @key(%k: !relax.tensor<[b, 2, n, 4], f32>) -> !relax.object {
  %s = relax.shape [b * 2, n, 4]
  %a = relax.reshape %k, %s : (!relax.tensor<[b, 2, n, 4], f32>, !relax.shape<[b * 2, n, 4]>) -> !relax.tensor<[b * 2, n, 4], f32>
  %c = relax.permute_dims %a {axes = array<i64: 0, 2, 1>} : (!relax.tensor<[b * 2, n, 4], f32>) -> !relax.tensor<[b * 2, 4, n], f32>
  %t = relax.shape [b, 2, 4, n]
  %d = relax.reshape %c, %t : (!relax.tensor<[b * 2, 4, n], f32>, !relax.shape<[b, 2, 4, n]>) -> !relax.tensor<[b, 2, 4, n], f32>
  relax.return %d : !relax.tensor<[b, 2, 4, n], f32>
}

// an axis in two parts that stay together; axes of 1 come and go
relax.func @parted(%x: !relax.tensor<[3, 6, 1], f32>) -> !relax.object {
  %s = relax.shape [3, 2, 3]
  %a = relax.reshape %x, %s : (!relax.tensor<[3, 6, 1], f32>, !relax.shape<[3, 2, 3]>) -> !relax.tensor<[3, 2, 3], f32>
  %c = relax.permute_dims %a {axes = array<i64: 1, 2, 0>} : (!relax.tensor<[3, 2, 3], f32>) -> !relax.tensor<[2, 3, 3], f32>
  %t = relax.shape [1, 6, 3]
  %d = relax.reshape %c, %t : (!relax.tensor<[2, 3, 3], f32>, !relax.shape<[1, 6, 3]>) -> !relax.tensor<[1, 6, 3], f32>
  relax.return %d : !relax.tensor<[1, 6, 3], f32>
}

// the parts of an axis change places
relax.func @stays_shuffled(%x: !relax.tensor<[3, 6], f32>) -> !relax.object {
  %s = relax.shape [3, 2, 3]
  %a = relax.reshape %x, %s : (!relax.tensor<[3, 6], f32>, !relax.shape<[3, 2, 3]>) -> !relax.tensor<[3, 2, 3], f32>
  %c = relax.permute_dims %a {axes = array<i64: 2, 1, 0>} : (!relax.tensor<[3, 2, 3], f32>) -> !relax.tensor<[3, 2, 3], f32>
  %t = relax.shape [6, 3]
  %d = relax.reshape %c, %t : (!relax.tensor<[3, 2, 3], f32>, !relax.shape<[6, 3]>) -> !relax.tensor<[6, 3], f32>
  relax.return %d : !relax.tensor<[6, 3], f32>
}

// the last shape merges what the first has apart
relax.func @stays_merged(%x: !relax.tensor<[2, n, 4], f32>) -> !relax.object {
  %s = relax.shape [2, n, 2, 2]
  %a = relax.reshape %x, %s : (!relax.tensor<[2, n, 4], f32>, !relax.shape<[2, n, 2, 2]>) -> !relax.tensor<[2, n, 2, 2], f32>
  %c = relax.permute_dims %a {axes = array<i64: 0, 2, 1, 3>} : (!relax.tensor<[2, n, 2, 2], f32>) -> !relax.tensor<[2, 2, n, 2], f32>
  %t = relax.shape [4, n, 2]
  %d = relax.reshape %c, %t : (!relax.tensor<[2, 2, n, 2], f32>, !relax.shape<[4, n, 2]>) -> !relax.tensor<[4, n, 2], f32>
  relax.return %d : !relax.tensor<[4, n, 2], f32>
}

// CHECK:       relax.func @key
// CHECK-NEXT:    %d = relax.permute_dims %k {axes = array<i64: 0, 1, 3, 2>}
// CHECK-NEXT:    relax.return %d
// CHECK:       relax.func @parted
// CHECK-NEXT:    %d = relax.permute_dims %x {axes = array<i64: 2, 1, 0>}
// CHECK-NEXT:    relax.return %d
// CHECK:       relax.func @stays_shuffled
// CHECK:         relax.reshape
// CHECK:         relax.permute_dims
// CHECK:         relax.reshape
// CHECK:       relax.func @stays_merged
// CHECK:         relax.reshape
// CHECK:         relax.permute_dims
// CHECK:         relax.reshape
