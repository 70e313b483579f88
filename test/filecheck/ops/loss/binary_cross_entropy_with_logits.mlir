// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.binary_cross_entropy_with_logits %x, %y {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.binary_cross_entropy_with_logits %x, %y {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @weights(
// CHECK-NEXT: %r = relax.binary_cross_entropy_with_logits %x, %y, %z {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @weights(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[n, m], f32>, %z: !relax.tensor<[m], f32>) -> !relax.object {
  %r = relax.binary_cross_entropy_with_logits %x, %y, %z {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @positive_weights(
// CHECK-NEXT: %r = relax.binary_cross_entropy_with_logits %x, %y, %z {operandSegmentSizes = array<i32: 1, 1, 0, 1>, reduction = "none"} : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>, !relax.tensor<[n, 1], f32>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @positive_weights(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[n, m], f32>, %z: !relax.tensor<[n, 1], f32>) -> !relax.object {
  %r = relax.binary_cross_entropy_with_logits %x, %y, %z {operandSegmentSizes = array<i32: 1, 1, 0, 1>, reduction = "none"} : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>, !relax.tensor<[n, 1], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.binary_cross_entropy_with_logits %x, %y, %z, %u {operandSegmentSizes = array<i32: 1, 1, 1, 1>, reduction = "none"} : (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<*, f32>, %z: !relax.tensor<*, f32>, %u: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.binary_cross_entropy_with_logits %x, %y, %z, %u {operandSegmentSizes = array<i32: 1, 1, 1, 1>, reduction = "none"} : (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
