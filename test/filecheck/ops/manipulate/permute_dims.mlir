// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @reversed(
// CHECK-NEXT: %r = relax.permute_dims %x : (!relax.tensor<[2, n, 4], f32>) -> !relax.tensor<[4, n, 2], f32>{{$}}
// GENERIC: %r = "relax.permute_dims"(%x) : (!relax.tensor<[2, n, 4], f32>) -> !relax.tensor<[4, n, 2], f32>{{$}}
relax.func @reversed(%x: !relax.tensor<[2, n, 4], f32>) -> !relax.object {
  %r = relax.permute_dims %x : (!relax.tensor<[2, n, 4], f32>) -> !relax.tensor<[4, n, 2], f32>
  relax.return %r : !relax.tensor<[4, n, 2], f32>
}

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.permute_dims %x {axes = array<i64: 1, 0>} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[3, 2], f32>{{$}}
// GENERIC: %r = "relax.permute_dims"(%x) <{axes = array<i64: 1, 0>}> : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[3, 2], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.permute_dims %x {axes = array<i64: 1, 0>} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[3, 2], f32>
  relax.return %r : !relax.tensor<[3, 2], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.permute_dims %x {axes = array<i64: 2, 3, 0, 1>} : (!relax.tensor<[n, m, 2 * k, k], f32>) -> !relax.tensor<[2 * k, k, n, m], f32>{{$}}
// GENERIC: %r = "relax.permute_dims"(%x) <{axes = array<i64: 2, 3, 0, 1>}> : (!relax.tensor<[n, m, 2 * k, k], f32>) -> !relax.tensor<[2 * k, k, n, m], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m, 2 * k, k], f32>) -> !relax.object {
  %r = relax.permute_dims %x {axes = array<i64: 2, 3, 0, 1>} : (!relax.tensor<[n, m, 2 * k, k], f32>) -> !relax.tensor<[2 * k, k, n, m], f32>
  relax.return %r : !relax.tensor<[2 * k, k, n, m], f32>
}

// CHECK-LABEL: relax.func @negative(
// CHECK-NEXT: %r = relax.permute_dims %x {axes = array<i64: -1, 0, -2>} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[4, n, m], f32>{{$}}
// GENERIC: %r = "relax.permute_dims"(%x) <{axes = array<i64: -1, 0, -2>}> : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[4, n, m], f32>{{$}}
relax.func @negative(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.object {
  %r = relax.permute_dims %x {axes = array<i64: -1, 0, -2>} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[4, n, m], f32>
  relax.return %r : !relax.tensor<[4, n, m], f32>
}

// CHECK-LABEL: relax.func @identity(
// CHECK-NEXT: %r = relax.permute_dims %x {axes = array<i64: 0>} : (!relax.tensor<[n], i1>) -> !relax.tensor<[n], i1>{{$}}
// GENERIC: %r = "relax.permute_dims"(%x) <{axes = array<i64: 0>}> : (!relax.tensor<[n], i1>) -> !relax.tensor<[n], i1>{{$}}
relax.func @identity(%x: !relax.tensor<[n], i1>) -> !relax.object {
  %r = relax.permute_dims %x {axes = array<i64: 0>} : (!relax.tensor<[n], i1>) -> !relax.tensor<[n], i1>
  relax.return %r : !relax.tensor<[n], i1>
}

// CHECK-LABEL: relax.func @scalar(
// CHECK-NEXT: %r = relax.permute_dims %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>{{$}}
// GENERIC: %r = "relax.permute_dims"(%x) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @scalar(%x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.permute_dims %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.permute_dims %x : (!relax.tensor<[?, m], f32>) -> !relax.tensor<[m, ?], f32>{{$}}
// GENERIC: %r = "relax.permute_dims"(%x) : (!relax.tensor<[?, m], f32>) -> !relax.tensor<[m, ?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, m], f32>) -> !relax.object {
  %r = relax.permute_dims %x : (!relax.tensor<[?, m], f32>) -> !relax.tensor<[m, ?], f32>
  relax.return %r : !relax.tensor<[m, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.permute_dims %x {axes = array<i64: 1, 0>} : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], f32>{{$}}
// GENERIC: %r = "relax.permute_dims"(%x) <{axes = array<i64: 1, 0>}> : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.permute_dims %x {axes = array<i64: 1, 0>} : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank_reversed(
// CHECK-NEXT: %r = relax.permute_dims %x : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.permute_dims"(%x) : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank_reversed(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.permute_dims %x : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.permute_dims %x : (!relax.tensor<[n, m]>) -> !relax.tensor<[m, n]>{{$}}
// GENERIC: %r = "relax.permute_dims"(%x) : (!relax.tensor<[n, m]>) -> !relax.tensor<[m, n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, m]>) -> !relax.object {
  %r = relax.permute_dims %x : (!relax.tensor<[n, m]>) -> !relax.tensor<[m, n]>
  relax.return %r : !relax.tensor<[m, n]>
}

// CHECK-LABEL: relax.func @wider(
// CHECK-NEXT: %r = relax.permute_dims %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<*>{{$}}
// GENERIC: %r = "relax.permute_dims"(%x) : (!relax.tensor<[n, m], f32>) -> !relax.tensor<*>{{$}}
relax.func @wider(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.permute_dims %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}
