// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.tensordot %x, %y {lhs_axes = array<i64: 1, 2>, rhs_axes = array<i64: 0, 1>} : (!relax.tensor<[2, 3, 4], f32>, !relax.tensor<[3, 4, 5], f32>) -> !relax.tensor<[2, 5], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3, 4], f32>, %y: !relax.tensor<[3, 4, 5], f32>) -> !relax.object {
  %r = relax.tensordot %x, %y {lhs_axes = array<i64: 1, 2>, rhs_axes = array<i64: 0, 1>} : (!relax.tensor<[2, 3, 4], f32>, !relax.tensor<[3, 4, 5], f32>) -> !relax.tensor<[2, 5], f32>
  relax.return %r : !relax.tensor<[2, 5], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.tensordot %x, %y {lhs_axes = array<i64: -1, 0>, rhs_axes = array<i64: 0, 2>} : (!relax.tensor<[n, m, k], f32>, !relax.tensor<[k, b, n], f32>) -> !relax.tensor<[m, b], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m, k], f32>, %y: !relax.tensor<[k, b, n], f32>) -> !relax.object {
  %r = relax.tensordot %x, %y {lhs_axes = array<i64: -1, 0>, rhs_axes = array<i64: 0, 2>} : (!relax.tensor<[n, m, k], f32>, !relax.tensor<[k, b, n], f32>) -> !relax.tensor<[m, b], f32>
  relax.return %r : !relax.tensor<[m, b], f32>
}

// CHECK-LABEL: relax.func @outer(
// CHECK-NEXT: %r = relax.tensordot %x, %y {lhs_axes = array<i64>, rhs_axes = array<i64>} : (!relax.tensor<[n], i8>, !relax.tensor<[m, k], i8>) -> !relax.tensor<[n, m, k], i8>{{$}}
relax.func @outer(%x: !relax.tensor<[n], i8>, %y: !relax.tensor<[m, k], i8>) -> !relax.object {
  %r = relax.tensordot %x, %y {lhs_axes = array<i64>, rhs_axes = array<i64>} : (!relax.tensor<[n], i8>, !relax.tensor<[m, k], i8>) -> !relax.tensor<[n, m, k], i8>
  relax.return %r : !relax.tensor<[n, m, k], i8>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.tensordot %x, %y {lhs_axes = array<i64: 1>, rhs_axes = array<i64: 0>} : (!relax.tensor<[?, k], f32>, !relax.tensor<[k, ?], f32>) -> !relax.tensor<[?, ?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, k], f32>, %y: !relax.tensor<[k, ?], f32>) -> !relax.object {
  %r = relax.tensordot %x, %y {lhs_axes = array<i64: 1>, rhs_axes = array<i64: 0>} : (!relax.tensor<[?, k], f32>, !relax.tensor<[k, ?], f32>) -> !relax.tensor<[?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.tensordot %x, %y {lhs_axes = array<i64: 0>, rhs_axes = array<i64: 0>} : (!relax.tensor<*, f32>, !relax.tensor<[k], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.tensordot %x, %y {lhs_axes = array<i64: 0>, rhs_axes = array<i64: 0>} : (!relax.tensor<*, f32>, !relax.tensor<[k], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
