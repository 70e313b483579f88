// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @first(
// CHECK-NEXT: %r = relax.expand_dims %x {axis = array<i64: 0>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[1, n, 4], f32>{{$}}
// GENERIC: %r = "relax.expand_dims"(%x) <{axis = array<i64: 0>}> : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[1, n, 4], f32>{{$}}
relax.func @first(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.expand_dims %x {axis = array<i64: 0>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[1, n, 4], f32>
  relax.return %r : !relax.tensor<[1, n, 4], f32>
}

// CHECK-LABEL: relax.func @last(
// CHECK-NEXT: %r = relax.expand_dims %x {axis = array<i64: -1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4, 1], f32>{{$}}
// GENERIC: %r = "relax.expand_dims"(%x) <{axis = array<i64: -1>}> : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4, 1], f32>{{$}}
relax.func @last(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.expand_dims %x {axis = array<i64: -1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4, 1], f32>
  relax.return %r : !relax.tensor<[n, 4, 1], f32>
}

// CHECK-LABEL: relax.func @several(
// CHECK-NEXT: %r = relax.expand_dims %x {axis = array<i64: 2, 0, -1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[1, n, 1, 4, 1], f32>{{$}}
// GENERIC: %r = "relax.expand_dims"(%x) <{axis = array<i64: 2, 0, -1>}> : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[1, n, 1, 4, 1], f32>{{$}}
relax.func @several(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.expand_dims %x {axis = array<i64: 2, 0, -1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[1, n, 1, 4, 1], f32>
  relax.return %r : !relax.tensor<[1, n, 1, 4, 1], f32>
}

// CHECK-LABEL: relax.func @scalar(
// CHECK-NEXT: %r = relax.expand_dims %x {axis = array<i64: 0>} : (!relax.tensor<[], i64>) -> !relax.tensor<[1], i64>{{$}}
// GENERIC: %r = "relax.expand_dims"(%x) <{axis = array<i64: 0>}> : (!relax.tensor<[], i64>) -> !relax.tensor<[1], i64>{{$}}
relax.func @scalar(%x: !relax.tensor<[], i64>) -> !relax.object {
  %r = relax.expand_dims %x {axis = array<i64: 0>} : (!relax.tensor<[], i64>) -> !relax.tensor<[1], i64>
  relax.return %r : !relax.tensor<[1], i64>
}

// CHECK-LABEL: relax.func @none(
// CHECK-NEXT: %r = relax.expand_dims %x {axis = array<i64>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC: %r = "relax.expand_dims"(%x) <{axis = array<i64>}> : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
relax.func @none(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.expand_dims %x {axis = array<i64>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.expand_dims %x {axis = array<i64: 1>} : (!relax.tensor<[?, 4]>) -> !relax.tensor<[?, 1, 4]>{{$}}
// GENERIC: %r = "relax.expand_dims"(%x) <{axis = array<i64: 1>}> : (!relax.tensor<[?, 4]>) -> !relax.tensor<[?, 1, 4]>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4]>) -> !relax.object {
  %r = relax.expand_dims %x {axis = array<i64: 1>} : (!relax.tensor<[?, 4]>) -> !relax.tensor<[?, 1, 4]>
  relax.return %r : !relax.tensor<[?, 1, 4]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.expand_dims %x {axis = array<i64: 1>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.expand_dims"(%x) <{axis = array<i64: 1>}> : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.expand_dims %x {axis = array<i64: 1>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
