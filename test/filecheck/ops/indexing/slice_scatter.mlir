// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.slice_scatter %a, %b {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 7>, strides = array<i64: 2>} : (!relax.tensor<[7, 5], f32>, !relax.tensor<[3, 5], f32>) -> !relax.tensor<[7, 5], f32>{{$}}
relax.func @static(%a: !relax.tensor<[7, 5], f32>, %b: !relax.tensor<[3, 5], f32>) -> !relax.object {
  %r = relax.slice_scatter %a, %b {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 7>, strides = array<i64: 2>} : (!relax.tensor<[7, 5], f32>, !relax.tensor<[3, 5], f32>) -> !relax.tensor<[7, 5], f32>
  relax.return %r : !relax.tensor<[7, 5], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.slice_scatter %a, %b {axes = array<i64: -1>, begin = array<i64: -1>, end = array<i64: 9223372036854775807>} : (!relax.tensor<[n, m], i8>, !relax.tensor<[n, 1], i8>) -> !relax.tensor<[n, m], i8>{{$}}
relax.func @symbolic(%a: !relax.tensor<[n, m], i8>, %b: !relax.tensor<[n, 1], i8>) -> !relax.object {
  %r = relax.slice_scatter %a, %b {axes = array<i64: -1>, begin = array<i64: -1>, end = array<i64: 9223372036854775807>} : (!relax.tensor<[n, m], i8>, !relax.tensor<[n, 1], i8>) -> !relax.tensor<[n, m], i8>
  relax.return %r : !relax.tensor<[n, m], i8>
}

// CHECK-LABEL: relax.func @shapes(
// CHECK-NEXT: %r = relax.slice_scatter %a, %b, %c, %d {axes = array<i64: 0>} : (!relax.tensor<[8], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.shape<[2 * m]>) -> !relax.tensor<[8], f32>{{$}}
relax.func @shapes(%a: !relax.tensor<[8], f32>, %b: !relax.tensor<[m], f32>, %c: !relax.shape<[m]>, %d: !relax.shape<[2 * m]>) -> !relax.object {
  %r = relax.slice_scatter %a, %b, %c, %d {axes = array<i64: 0>} : (!relax.tensor<[8], f32>, !relax.tensor<[m], f32>, !relax.shape<[m]>, !relax.shape<[2 * m]>) -> !relax.tensor<[8], f32>
  relax.return %r : !relax.tensor<[8], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.slice_scatter %a, %b {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 3>} : (!relax.tensor<[?, 5]>, !relax.tensor<[2, ?], f32>) -> !relax.tensor<[?, 5]>{{$}}
relax.func @unknown_dim(%a: !relax.tensor<[?, 5]>, %b: !relax.tensor<[2, ?], f32>) -> !relax.object {
  %r = relax.slice_scatter %a, %b {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 3>} : (!relax.tensor<[?, 5]>, !relax.tensor<[2, ?], f32>) -> !relax.tensor<[?, 5]>
  relax.return %r : !relax.tensor<[?, 5]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.slice_scatter %a, %b {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 3>} : (!relax.tensor<*, f32>, !relax.tensor<[2], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%a: !relax.tensor<*, f32>, %b: !relax.tensor<[2], f32>) -> !relax.object {
  %r = relax.slice_scatter %a, %b {axes = array<i64: 0>, begin = array<i64: 1>, end = array<i64: 3>} : (!relax.tensor<*, f32>, !relax.tensor<[2], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
