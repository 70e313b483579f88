// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @all(
// CHECK-NEXT: %r = relax.argmin %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[], i64>{{$}}
relax.func @all(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.argmin %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[], i64>
  relax.return %r : !relax.tensor<[], i64>
}

// CHECK-LABEL: relax.func @all_kept(
// CHECK-NEXT: %r = relax.argmin %x {keepdims = true} : (!relax.tensor<[n, 4], i8>) -> !relax.tensor<[1, 1], i64>{{$}}
relax.func @all_kept(%x: !relax.tensor<[n, 4], i8>) -> !relax.object {
  %r = relax.argmin %x {keepdims = true} : (!relax.tensor<[n, 4], i8>) -> !relax.tensor<[1, 1], i64>
  relax.return %r : !relax.tensor<[1, 1], i64>
}

// CHECK-LABEL: relax.func @along(
// CHECK-NEXT: %r = relax.argmin %x {axis = -1 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], i64>{{$}}
relax.func @along(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.argmin %x {axis = -1 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], i64>
  relax.return %r : !relax.tensor<[n], i64>
}

// CHECK-LABEL: relax.func @kept(
// CHECK-NEXT: %r = relax.argmin %x {axis = 0 : i64, keepdims = true} : (!relax.tensor<[n, 4], ui8>) -> !relax.tensor<[1, 4], i64>{{$}}
relax.func @kept(%x: !relax.tensor<[n, 4], ui8>) -> !relax.object {
  %r = relax.argmin %x {axis = 0 : i64, keepdims = true} : (!relax.tensor<[n, 4], ui8>) -> !relax.tensor<[1, 4], i64>
  relax.return %r : !relax.tensor<[1, 4], i64>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.argmin %x {axis = 1 : i64} : (!relax.tensor<[?, m], f32>) -> !relax.tensor<[?], i64>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, m], f32>) -> !relax.object {
  %r = relax.argmin %x {axis = 1 : i64} : (!relax.tensor<[?, m], f32>) -> !relax.tensor<[?], i64>
  relax.return %r : !relax.tensor<[?], i64>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.argmin %x {axis = 1 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, i64>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.argmin %x {axis = 1 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, i64>
  relax.return %r : !relax.tensor<*, i64>
}

// CHECK-LABEL: relax.func @unknown_rank_all(
// CHECK-NEXT: %r = relax.argmin %x : (!relax.tensor<*, f32>) -> !relax.tensor<[], i64>{{$}}
relax.func @unknown_rank_all(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.argmin %x : (!relax.tensor<*, f32>) -> !relax.tensor<[], i64>
  relax.return %r : !relax.tensor<[], i64>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.argmin %x {axis = 0 : i64} : (!relax.tensor<[n]>) -> !relax.tensor<[], i64>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>) -> !relax.object {
  %r = relax.argmin %x {axis = 0 : i64} : (!relax.tensor<[n]>) -> !relax.tensor<[], i64>
  relax.return %r : !relax.tensor<[], i64>
}
