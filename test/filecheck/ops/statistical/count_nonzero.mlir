// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @all(
// CHECK-NEXT: %r = relax.count_nonzero %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[], i64>{{$}}
relax.func @all(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.count_nonzero %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[], i64>
  relax.return %r : !relax.tensor<[], i64>
}

// CHECK-LABEL: relax.func @kept(
// CHECK-NEXT: %r = relax.count_nonzero %x {axis = array<i64: 1>, keepdims = true} : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n, 1], i64>{{$}}
relax.func @kept(%x: !relax.tensor<[n, m], i1>) -> !relax.object {
  %r = relax.count_nonzero %x {axis = array<i64: 1>, keepdims = true} : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n, 1], i64>
  relax.return %r : !relax.tensor<[n, 1], i64>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.count_nonzero %x {axis = array<i64: 1>} : (!relax.tensor<[?, m], i8>) -> !relax.tensor<[?], i64>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, m], i8>) -> !relax.object {
  %r = relax.count_nonzero %x {axis = array<i64: 1>} : (!relax.tensor<[?, m], i8>) -> !relax.tensor<[?], i64>
  relax.return %r : !relax.tensor<[?], i64>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.count_nonzero %x {axis = array<i64: 0>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, i64>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.count_nonzero %x {axis = array<i64: 0>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, i64>
  relax.return %r : !relax.tensor<*, i64>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.count_nonzero %x {axis = array<i64: 0>} : (!relax.tensor<[n, m]>) -> !relax.tensor<[m], i64>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, m]>) -> !relax.object {
  %r = relax.count_nonzero %x {axis = array<i64: 0>} : (!relax.tensor<[n, m]>) -> !relax.tensor<[m], i64>
  relax.return %r : !relax.tensor<[m], i64>
}
