// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.cross_entropy_with_logits %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.cross_entropy_with_logits %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.cross_entropy_with_logits %x, %y : (!relax.tensor<[n], f16>, !relax.tensor<[n], f16>) -> !relax.tensor<[], f16>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n], f16>, %y: !relax.tensor<[n], f16>) -> !relax.object {
  %r = relax.cross_entropy_with_logits %x, %y : (!relax.tensor<[n], f16>, !relax.tensor<[n], f16>) -> !relax.tensor<[], f16>
  relax.return %r : !relax.tensor<[], f16>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.cross_entropy_with_logits %x, %y : (!relax.tensor<*, f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.cross_entropy_with_logits %x, %y : (!relax.tensor<*, f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.cross_entropy_with_logits %x, %y : (!relax.tensor<[n]>, !relax.tensor<[n], f32>) -> !relax.tensor<[]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>, %y: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.cross_entropy_with_logits %x, %y : (!relax.tensor<[n]>, !relax.tensor<[n], f32>) -> !relax.tensor<[]>
  relax.return %r : !relax.tensor<[]>
}
