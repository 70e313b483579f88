// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @all(
// CHECK-NEXT: %r = relax.all %x : (!relax.tensor<[n, 4], i1>) -> !relax.tensor<[], i1>{{$}}
relax.func @all(%x: !relax.tensor<[n, 4], i1>) -> !relax.object {
  %r = relax.all %x : (!relax.tensor<[n, 4], i1>) -> !relax.tensor<[], i1>
  relax.return %r : !relax.tensor<[], i1>
}

// CHECK-LABEL: relax.func @kept(
// CHECK-NEXT: %r = relax.all %x {axis = array<i64: -1, 0>, keepdims = true} : (!relax.tensor<[n, m, 4], i1>) -> !relax.tensor<[1, m, 1], i1>{{$}}
relax.func @kept(%x: !relax.tensor<[n, m, 4], i1>) -> !relax.object {
  %r = relax.all %x {axis = array<i64: -1, 0>, keepdims = true} : (!relax.tensor<[n, m, 4], i1>) -> !relax.tensor<[1, m, 1], i1>
  relax.return %r : !relax.tensor<[1, m, 1], i1>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.all %x {axis = array<i64: 0>} : (!relax.tensor<[n, 2 * n], i1>) -> !relax.tensor<[2 * n], i1>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 2 * n], i1>) -> !relax.object {
  %r = relax.all %x {axis = array<i64: 0>} : (!relax.tensor<[n, 2 * n], i1>) -> !relax.tensor<[2 * n], i1>
  relax.return %r : !relax.tensor<[2 * n], i1>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.all %x {axis = array<i64: 1>} : (!relax.tensor<[?, m], i1>) -> !relax.tensor<[?], i1>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, m], i1>) -> !relax.object {
  %r = relax.all %x {axis = array<i64: 1>} : (!relax.tensor<[?, m], i1>) -> !relax.tensor<[?], i1>
  relax.return %r : !relax.tensor<[?], i1>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.all %x {axis = array<i64: 1>} : (!relax.tensor<*, i1>) -> !relax.tensor<*, i1>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, i1>) -> !relax.object {
  %r = relax.all %x {axis = array<i64: 1>} : (!relax.tensor<*, i1>) -> !relax.tensor<*, i1>
  relax.return %r : !relax.tensor<*, i1>
}

// CHECK-LABEL: relax.func @unknown_rank_all(
// CHECK-NEXT: %r = relax.all %x : (!relax.tensor<*, i1>) -> !relax.tensor<[], i1>{{$}}
relax.func @unknown_rank_all(%x: !relax.tensor<*, i1>) -> !relax.object {
  %r = relax.all %x : (!relax.tensor<*, i1>) -> !relax.tensor<[], i1>
  relax.return %r : !relax.tensor<[], i1>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.all %x {axis = array<i64: -2>} : (!relax.tensor<[n, m]>) -> !relax.tensor<[m]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, m]>) -> !relax.object {
  %r = relax.all %x {axis = array<i64: -2>} : (!relax.tensor<[n, m]>) -> !relax.tensor<[m]>
  relax.return %r : !relax.tensor<[m]>
}
