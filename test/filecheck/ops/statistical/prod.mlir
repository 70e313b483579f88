// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @all(
// CHECK-NEXT: %r = relax.prod %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @all(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.prod %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @kept(
// CHECK-NEXT: %r = relax.prod %x {axis = array<i64: -1, 0>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[1, m, 1], f32>{{$}}
relax.func @kept(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.object {
  %r = relax.prod %x {axis = array<i64: -1, 0>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[1, m, 1], f32>
  relax.return %r : !relax.tensor<[1, m, 1], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.prod %x {axis = array<i64: 0>} : (!relax.tensor<[n, 2 * n], f32>) -> !relax.tensor<[2 * n], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 2 * n], f32>) -> !relax.object {
  %r = relax.prod %x {axis = array<i64: 0>} : (!relax.tensor<[n, 2 * n], f32>) -> !relax.tensor<[2 * n], f32>
  relax.return %r : !relax.tensor<[2 * n], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.prod %x {axis = array<i64: 1>} : (!relax.tensor<[?, m], f32>) -> !relax.tensor<[?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, m], f32>) -> !relax.object {
  %r = relax.prod %x {axis = array<i64: 1>} : (!relax.tensor<[?, m], f32>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.prod %x {axis = array<i64: 1>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.prod %x {axis = array<i64: 1>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_rank_all(
// CHECK-NEXT: %r = relax.prod %x : (!relax.tensor<*, f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @unknown_rank_all(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.prod %x : (!relax.tensor<*, f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.prod %x {axis = array<i64: -2>} : (!relax.tensor<[n, m]>) -> !relax.tensor<[m]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, m]>) -> !relax.object {
  %r = relax.prod %x {axis = array<i64: -2>} : (!relax.tensor<[n, m]>) -> !relax.tensor<[m]>
  relax.return %r : !relax.tensor<[m]>
}

// CHECK-LABEL: relax.func @integers(
// CHECK-NEXT: %r = relax.prod %x {axis = array<i64: 1>} : (!relax.tensor<[n, 3], ui8>) -> !relax.tensor<[n], ui8>{{$}}
relax.func @integers(%x: !relax.tensor<[n, 3], ui8>) -> !relax.object {
  %r = relax.prod %x {axis = array<i64: 1>} : (!relax.tensor<[n, 3], ui8>) -> !relax.tensor<[n], ui8>
  relax.return %r : !relax.tensor<[n], ui8>
}

// CHECK-LABEL: relax.func @prod_of_truth_values(
// CHECK-NEXT: %r = relax.prod %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n], i1>{{$}}
relax.func @prod_of_truth_values(%x: !relax.tensor<[n, m], i1>) -> !relax.object {
  %r = relax.prod %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n], i1>
  relax.return %r : !relax.tensor<[n], i1>
}
