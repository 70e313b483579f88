// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.tile %x {repeats = array<i64: 2, 1>} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[4, 3], f32>{{$}}
// GENERIC: %r = "relax.tile"(%x) <{repeats = array<i64: 2, 1>}> : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[4, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.tile %x {repeats = array<i64: 2, 1>} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[4, 3], f32>
  relax.return %r : !relax.tensor<[4, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.tile %x {repeats = array<i64: 3, 2>} : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[3 * n, 6], f32>{{$}}
// GENERIC: %r = "relax.tile"(%x) <{repeats = array<i64: 3, 2>}> : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[3 * n, 6], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 3], f32>) -> !relax.object {
  %r = relax.tile %x {repeats = array<i64: 3, 2>} : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[3 * n, 6], f32>
  relax.return %r : !relax.tensor<[3 * n, 6], f32>
}

// CHECK-LABEL: relax.func @fewer(
// CHECK-NEXT: %r = relax.tile %x {repeats = array<i64: 2>} : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n, 2 * m], i1>{{$}}
// GENERIC: %r = "relax.tile"(%x) <{repeats = array<i64: 2>}> : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n, 2 * m], i1>{{$}}
relax.func @fewer(%x: !relax.tensor<[n, m], i1>) -> !relax.object {
  %r = relax.tile %x {repeats = array<i64: 2>} : (!relax.tensor<[n, m], i1>) -> !relax.tensor<[n, 2 * m], i1>
  relax.return %r : !relax.tensor<[n, 2 * m], i1>
}

// CHECK-LABEL: relax.func @more(
// CHECK-NEXT: %r = relax.tile %x {repeats = array<i64: 4, 1, 2>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[4, 1, 2 * n], f32>{{$}}
// GENERIC: %r = "relax.tile"(%x) <{repeats = array<i64: 4, 1, 2>}> : (!relax.tensor<[n], f32>) -> !relax.tensor<[4, 1, 2 * n], f32>{{$}}
relax.func @more(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.tile %x {repeats = array<i64: 4, 1, 2>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[4, 1, 2 * n], f32>
  relax.return %r : !relax.tensor<[4, 1, 2 * n], f32>
}

// CHECK-LABEL: relax.func @none(
// CHECK-NEXT: %r = relax.tile %x {repeats = array<i64: 1, 0>} : (!relax.tensor<[n, ?], f32>) -> !relax.tensor<[n, 0], f32>{{$}}
// GENERIC: %r = "relax.tile"(%x) <{repeats = array<i64: 1, 0>}> : (!relax.tensor<[n, ?], f32>) -> !relax.tensor<[n, 0], f32>{{$}}
relax.func @none(%x: !relax.tensor<[n, ?], f32>) -> !relax.object {
  %r = relax.tile %x {repeats = array<i64: 1, 0>} : (!relax.tensor<[n, ?], f32>) -> !relax.tensor<[n, 0], f32>
  relax.return %r : !relax.tensor<[n, 0], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.tile %x {repeats = array<i64: 2, 2>} : (!relax.tensor<[?, 4]>) -> !relax.tensor<[?, 8]>{{$}}
// GENERIC: %r = "relax.tile"(%x) <{repeats = array<i64: 2, 2>}> : (!relax.tensor<[?, 4]>) -> !relax.tensor<[?, 8]>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4]>) -> !relax.object {
  %r = relax.tile %x {repeats = array<i64: 2, 2>} : (!relax.tensor<[?, 4]>) -> !relax.tensor<[?, 8]>
  relax.return %r : !relax.tensor<[?, 8]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.tile %x {repeats = array<i64: 2, 2>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.tile"(%x) <{repeats = array<i64: 2, 2>}> : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.tile %x {repeats = array<i64: 2, 2>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
