// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.minimum %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.minimum %x, %y : (!relax.tensor<[2, 3], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.minimum %x, %y : (!relax.tensor<[n, 1], i8>, !relax.tensor<[m], i8>) -> !relax.tensor<[n, m], i8>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 1], i8>, %y: !relax.tensor<[m], i8>) -> !relax.object {
  %r = relax.minimum %x, %y : (!relax.tensor<[n, 1], i8>, !relax.tensor<[m], i8>) -> !relax.tensor<[n, m], i8>
  relax.return %r : !relax.tensor<[n, m], i8>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.minimum %x, %y : (!relax.tensor<[?, 4], f32>, !relax.tensor<[1, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], f32>, %y: !relax.tensor<[1, 4], f32>) -> !relax.object {
  %r = relax.minimum %x, %y : (!relax.tensor<[?, 4], f32>, !relax.tensor<[1, 4], f32>) -> !relax.tensor<[?, 4], f32>
  relax.return %r : !relax.tensor<[?, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.minimum %x, %y : (!relax.tensor<*, i8>, !relax.tensor<[n], i8>) -> !relax.tensor<*, i8>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, i8>, %y: !relax.tensor<[n], i8>) -> !relax.object {
  %r = relax.minimum %x, %y : (!relax.tensor<*, i8>, !relax.tensor<[n], i8>) -> !relax.tensor<*, i8>
  relax.return %r : !relax.tensor<*, i8>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.minimum %x, %y : (!relax.tensor<[n]>, !relax.tensor<[n], f32>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>, %y: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.minimum %x, %y : (!relax.tensor<[n]>, !relax.tensor<[n], f32>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}

// CHECK-LABEL: relax.func @minimum_of_truth_values(
// CHECK-NEXT: %r = relax.minimum %x, %y : (!relax.tensor<[n, m], i1>, !relax.tensor<[m], i1>) -> !relax.tensor<[n, m], i1>{{$}}
relax.func @minimum_of_truth_values(%x: !relax.tensor<[n, m], i1>, %y: !relax.tensor<[m], i1>) -> !relax.object {
  %r = relax.minimum %x, %y : (!relax.tensor<[n, m], i1>, !relax.tensor<[m], i1>) -> !relax.tensor<[n, m], i1>
  relax.return %r : !relax.tensor<[n, m], i1>
}
