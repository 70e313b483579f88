// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.repeat %x {repeats = 2 : i64, axis = 1 : i64} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 6], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.repeat %x {repeats = 2 : i64, axis = 1 : i64} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 6], f32>
  relax.return %r : !relax.tensor<[2, 6], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.repeat %x {repeats = 3 : i64, axis = -2 : i64} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[3 * n, m], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.repeat %x {repeats = 3 : i64, axis = -2 : i64} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[3 * n, m], f32>
  relax.return %r : !relax.tensor<[3 * n, m], f32>
}

// CHECK-LABEL: relax.func @flat(
// CHECK-NEXT: %r = relax.repeat %x {repeats = 2 : i64} : (!relax.tensor<[n, 3], i8>) -> !relax.tensor<[6 * n], i8>{{$}}
relax.func @flat(%x: !relax.tensor<[n, 3], i8>) -> !relax.object {
  %r = relax.repeat %x {repeats = 2 : i64} : (!relax.tensor<[n, 3], i8>) -> !relax.tensor<[6 * n], i8>
  relax.return %r : !relax.tensor<[6 * n], i8>
}

// CHECK-LABEL: relax.func @none(
// CHECK-NEXT: %r = relax.repeat %x {repeats = 0 : i64, axis = 0 : i64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[0], f32>{{$}}
relax.func @none(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.repeat %x {repeats = 0 : i64, axis = 0 : i64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[0], f32>
  relax.return %r : !relax.tensor<[0], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.repeat %x {repeats = 2 : i64, axis = 0 : i64} : (!relax.tensor<[?]>) -> !relax.tensor<[?]>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?]>) -> !relax.object {
  %r = relax.repeat %x {repeats = 2 : i64, axis = 0 : i64} : (!relax.tensor<[?]>) -> !relax.tensor<[?]>
  relax.return %r : !relax.tensor<[?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.repeat %x {repeats = 2 : i64, axis = 0 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.repeat %x {repeats = 2 : i64, axis = 0 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_rank_flat(
// CHECK-NEXT: %r = relax.repeat %x {repeats = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<[?], f32>{{$}}
relax.func @unknown_rank_flat(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.repeat %x {repeats = 2 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}
