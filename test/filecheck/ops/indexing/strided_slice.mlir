// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.strided_slice %a {axes = array<i64: 0, 1>, begin = array<i64: 1, 0>, end = array<i64: 6, 5>, strides = array<i64: 2, 1>} : (!relax.tensor<[7, 5], f32>) -> !relax.tensor<[3, 5], f32>{{$}}
relax.func @static(%a: !relax.tensor<[7, 5], f32>) -> !relax.object {
  %r = relax.strided_slice %a {axes = array<i64: 0, 1>, begin = array<i64: 1, 0>, end = array<i64: 6, 5>, strides = array<i64: 2, 1>} : (!relax.tensor<[7, 5], f32>) -> !relax.tensor<[3, 5], f32>
  relax.return %r : !relax.tensor<[3, 5], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.strided_slice %a {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 9223372036854775807>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[max(n - 1, 0), m], f32>{{$}}
relax.func @symbolic(%a: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.strided_slice %a {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 9223372036854775807>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[max(n - 1, 0), m], f32>
  relax.return %r : !relax.tensor<[max(n - 1, 0), m], f32>
}

// CHECK-LABEL: relax.func @from_end(
// CHECK-NEXT: %r = relax.strided_slice %a {axes = array<i64: -1>, begin = array<i64: -3>, end = array<i64: -1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, max(min(m - 1, 2), 0)], f32>{{$}}
relax.func @from_end(%a: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.strided_slice %a {axes = array<i64: -1>, begin = array<i64: -3>, end = array<i64: -1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, max(min(m - 1, 2), 0)], f32>
  relax.return %r : !relax.tensor<[n, max(min(m - 1, 2), 0)], f32>
}

// CHECK-LABEL: relax.func @reversed(
// CHECK-NEXT: %r = relax.strided_slice %a {axes = array<i64: 0, 1>, begin = array<i64: 9223372036854775807, -2>, end = array<i64: -9223372036854775808, 0>, strides = array<i64: -1, -1>} : (!relax.tensor<[n, 5], f32>) -> !relax.tensor<[n, 3], f32>{{$}}
relax.func @reversed(%a: !relax.tensor<[n, 5], f32>) -> !relax.object {
  %r = relax.strided_slice %a {axes = array<i64: 0, 1>, begin = array<i64: 9223372036854775807, -2>, end = array<i64: -9223372036854775808, 0>, strides = array<i64: -1, -1>} : (!relax.tensor<[n, 5], f32>) -> !relax.tensor<[n, 3], f32>
  relax.return %r : !relax.tensor<[n, 3], f32>
}

// CHECK-LABEL: relax.func @empty(
// CHECK-NEXT: %r = relax.strided_slice %a {axes = array<i64: 1>, begin = array<i64: 3>, end = array<i64: 2>} : (!relax.tensor<[n, 5], f32>) -> !relax.tensor<[n, 0], f32>{{$}}
relax.func @empty(%a: !relax.tensor<[n, 5], f32>) -> !relax.object {
  %r = relax.strided_slice %a {axes = array<i64: 1>, begin = array<i64: 3>, end = array<i64: 2>} : (!relax.tensor<[n, 5], f32>) -> !relax.tensor<[n, 0], f32>
  relax.return %r : !relax.tensor<[n, 0], f32>
}

// CHECK-LABEL: relax.func @shapes(
// CHECK-NEXT: %r = relax.strided_slice %a, %b, %c {axes = array<i64: 1>} : (!relax.tensor<[n, 5], f32>, !relax.shape<[m]>, !relax.shape<[m + 2]>) -> !relax.tensor<[n, max(-m + min(m + 2, 5), 0)], f32>{{$}}
relax.func @shapes(%a: !relax.tensor<[n, 5], f32>, %b: !relax.shape<[m]>, %c: !relax.shape<[m + 2]>) -> !relax.object {
  %r = relax.strided_slice %a, %b, %c {axes = array<i64: 1>} : (!relax.tensor<[n, 5], f32>, !relax.shape<[m]>, !relax.shape<[m + 2]>) -> !relax.tensor<[n, max(-m + min(m + 2, 5), 0)], f32>
  relax.return %r : !relax.tensor<[n, max(-m + min(m + 2, 5), 0)], f32>
}

// CHECK-LABEL: relax.func @inbound(
// CHECK-NEXT: %r = relax.strided_slice %a {assume_inbound = true, axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 3>} : (!relax.tensor<[n, 5], f32>) -> !relax.tensor<[2, 5], f32>{{$}}
relax.func @inbound(%a: !relax.tensor<[n, 5], f32>) -> !relax.object {
  %r = relax.strided_slice %a {assume_inbound = true, axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 3>} : (!relax.tensor<[n, 5], f32>) -> !relax.tensor<[2, 5], f32>
  relax.return %r : !relax.tensor<[2, 5], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.strided_slice %a {axes = array<i64: 0, 1>, begin = array<i64: 1, 1>, end = array<i64: 3, 3>} : (!relax.tensor<[?, 5]>) -> !relax.tensor<[?, 2]>{{$}}
relax.func @unknown_dim(%a: !relax.tensor<[?, 5]>) -> !relax.object {
  %r = relax.strided_slice %a {axes = array<i64: 0, 1>, begin = array<i64: 1, 1>, end = array<i64: 3, 3>} : (!relax.tensor<[?, 5]>) -> !relax.tensor<[?, 2]>
  relax.return %r : !relax.tensor<[?, 2]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.strided_slice %a {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 3>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%a: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.strided_slice %a {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 3>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
