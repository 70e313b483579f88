// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @axis(
// CHECK-NEXT: %r = relax.roll %x {shift = array<i64: 1>, axis = array<i64: 0>} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @axis(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.roll %x {shift = array<i64: 1>, axis = array<i64: 0>} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @axes(
// CHECK-NEXT: %r = relax.roll %x {shift = array<i64: -1, 2>, axis = array<i64: -1, 0>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @axes(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.roll %x {shift = array<i64: -1, 2>, axis = array<i64: -1, 0>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @flat(
// CHECK-NEXT: %r = relax.roll %x {shift = array<i64: 7>} : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n, m], i1>{{$}}
relax.func @flat(%x: !relax.tensor<[n, m], i1>) -> !relax.object {
  %r = relax.roll %x {shift = array<i64: 7>} : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n, m], i1>
  relax.return %r : !relax.tensor<[n, m], i1>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.roll %x {shift = array<i64: 1>, axis = array<i64: 0>} : (!relax.tensor<[?]>) -> !relax.tensor<[?]>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?]>) -> !relax.object {
  %r = relax.roll %x {shift = array<i64: 1>, axis = array<i64: 0>} : (!relax.tensor<[?]>) -> !relax.tensor<[?]>
  relax.return %r : !relax.tensor<[?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.roll %x {shift = array<i64: 7>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.roll %x {shift = array<i64: 7>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
