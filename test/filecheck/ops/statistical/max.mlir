// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @all(
// CHECK-NEXT: %r = relax.max %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[], f32>{{$}}
// GENERIC: %r = "relax.max"(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @all(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.max %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @all_kept(
// CHECK-NEXT: %r = relax.max %x {keepdims = true} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[1, 1], f32>{{$}}
// GENERIC: %r = "relax.max"(%x) <{keepdims = true}> : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[1, 1], f32>{{$}}
relax.func @all_kept(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.max %x {keepdims = true} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[1, 1], f32>
  relax.return %r : !relax.tensor<[1, 1], f32>
}

// CHECK-LABEL: relax.func @one_axis(
// CHECK-NEXT: %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, 4], f32>{{$}}
// GENERIC: %r = "relax.max"(%x) <{axis = array<i64: 1>}> : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, 4], f32>{{$}}
relax.func @one_axis(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.object {
  %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %r : !relax.tensor<[n, 4], f32>
}

// CHECK-LABEL: relax.func @one_axis_kept(
// CHECK-NEXT: %r = relax.max %x {axis = array<i64: 1>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, 1, 4], f32>{{$}}
// GENERIC: %r = "relax.max"(%x) <{axis = array<i64: 1>, keepdims = true}> : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, 1, 4], f32>{{$}}
relax.func @one_axis_kept(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.object {
  %r = relax.max %x {axis = array<i64: 1>, keepdims = true} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[n, 1, 4], f32>
  relax.return %r : !relax.tensor<[n, 1, 4], f32>
}

// CHECK-LABEL: relax.func @not_kept(
// CHECK-NEXT: %r = relax.max %x {axis = array<i64: -1>, keepdims = false} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC: %r = "relax.max"(%x) <{axis = array<i64: -1>, keepdims = false}> : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>{{$}}
relax.func @not_kept(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.max %x {axis = array<i64: -1>, keepdims = false} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @two_axes(
// CHECK-NEXT: %r = relax.max %x {axis = array<i64: -1, 0>} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[m], f32>{{$}}
// GENERIC: %r = "relax.max"(%x) <{axis = array<i64: -1, 0>}> : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[m], f32>{{$}}
relax.func @two_axes(%x: !relax.tensor<[n, m, 4], f32>) -> !relax.object {
  %r = relax.max %x {axis = array<i64: -1, 0>} : (!relax.tensor<[n, m, 4], f32>) -> !relax.tensor<[m], f32>
  relax.return %r : !relax.tensor<[m], f32>
}

// CHECK-LABEL: relax.func @no_axes(
// CHECK-NEXT: %r = relax.max %x {axis = array<i64>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
// GENERIC: %r = "relax.max"(%x) <{axis = array<i64>}> : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @no_axes(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.max %x {axis = array<i64>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2], f32>{{$}}
// GENERIC: %r = "relax.max"(%x) <{axis = array<i64: 1>}> : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2], f32>
  relax.return %r : !relax.tensor<[2], f32>
}

// CHECK-LABEL: relax.func @compound(
// CHECK-NEXT: %r = relax.max %x {axis = array<i64: 0>} : (!relax.tensor<[n, 2 * n], f32>) -> !relax.tensor<[2 * n], f32>{{$}}
// GENERIC: %r = "relax.max"(%x) <{axis = array<i64: 0>}> : (!relax.tensor<[n, 2 * n], f32>) -> !relax.tensor<[2 * n], f32>{{$}}
relax.func @compound(%x: !relax.tensor<[n, 2 * n], f32>) -> !relax.object {
  %r = relax.max %x {axis = array<i64: 0>} : (!relax.tensor<[n, 2 * n], f32>) -> !relax.tensor<[2 * n], f32>
  relax.return %r : !relax.tensor<[2 * n], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[?, m], f32>) -> !relax.tensor<[?], f32>{{$}}
// GENERIC: %r = "relax.max"(%x) <{axis = array<i64: 1>}> : (!relax.tensor<[?, m], f32>) -> !relax.tensor<[?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, m], f32>) -> !relax.object {
  %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[?, m], f32>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.max"(%x) <{axis = array<i64: 1>}> : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_rank_all(
// CHECK-NEXT: %r = relax.max %x : (!relax.tensor<*, f32>) -> !relax.tensor<[], f32>{{$}}
// GENERIC: %r = "relax.max"(%x) : (!relax.tensor<*, f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @unknown_rank_all(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.max %x : (!relax.tensor<*, f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}

// CHECK-LABEL: relax.func @unknown_rank_all_kept(
// CHECK-NEXT: %r = relax.max %x {keepdims = true} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.max"(%x) <{keepdims = true}> : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank_all_kept(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.max %x {keepdims = true} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[n, m]>) -> !relax.tensor<[n]>{{$}}
// GENERIC: %r = "relax.max"(%x) <{axis = array<i64: 1>}> : (!relax.tensor<[n, m]>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, m]>) -> !relax.object {
  %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[n, m]>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}

// CHECK-LABEL: relax.func @wider(
// CHECK-NEXT: %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[?], f32>{{$}}
// GENERIC: %r = "relax.max"(%x) <{axis = array<i64: 1>}> : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[?], f32>{{$}}
relax.func @wider(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}

// CHECK-LABEL: relax.func @integers(
// CHECK-NEXT: %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], i32>) -> !relax.tensor<[n], i32>{{$}}
// GENERIC: %r = "relax.max"(%x) <{axis = array<i64: 1>}> : (!relax.tensor<[n, m], i32>) -> !relax.tensor<[n], i32>{{$}}
relax.func @integers(%x: !relax.tensor<[n, m], i32>) -> !relax.object {
  %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], i32>) -> !relax.tensor<[n], i32>
  relax.return %r : !relax.tensor<[n], i32>
}

// CHECK-LABEL: relax.func @max_of_truth_values(
// CHECK-NEXT: %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n], i1>{{$}}
relax.func @max_of_truth_values(%x: !relax.tensor<[n, m], i1>) -> !relax.object {
  %r = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n], i1>
  relax.return %r : !relax.tensor<[n], i1>
}

// CHECK-LABEL: relax.func @of_nothing(
// CHECK-NEXT: %r = relax.max %x {of_nothing = true} : (!relax.tensor<[n, 0], f32>) -> !relax.tensor<[], f32>{{$}}
relax.func @of_nothing(%x: !relax.tensor<[n, 0], f32>) -> !relax.object {
  %r = relax.max %x {of_nothing = true} : (!relax.tensor<[n, 0], f32>) -> !relax.tensor<[], f32>
  relax.return %r : !relax.tensor<[], f32>
}
