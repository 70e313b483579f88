// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.take %a, %b {axis = 0 : i64} : (!relax.tensor<[5, 3], f32>, !relax.tensor<[2], i64>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%a: !relax.tensor<[5, 3], f32>, %b: !relax.tensor<[2], i64>) -> !relax.object {
  %r = relax.take %a, %b {axis = 0 : i64} : (!relax.tensor<[5, 3], f32>, !relax.tensor<[2], i64>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.take %a, %b {axis = -2 : i64} : (!relax.tensor<[n, m, 4], f16>, !relax.tensor<[k, b], i32>) -> !relax.tensor<[n, k, b, 4], f16>{{$}}
relax.func @symbolic(%a: !relax.tensor<[n, m, 4], f16>, %b: !relax.tensor<[k, b], i32>) -> !relax.object {
  %r = relax.take %a, %b {axis = -2 : i64} : (!relax.tensor<[n, m, 4], f16>, !relax.tensor<[k, b], i32>) -> !relax.tensor<[n, k, b, 4], f16>
  relax.return %r : !relax.tensor<[n, k, b, 4], f16>
}

// CHECK-LABEL: relax.func @vector(
// CHECK-NEXT: %r = relax.take %a, %b : (!relax.tensor<[n], i8>, !relax.tensor<[], ui8>) -> !relax.tensor<[], i8>{{$}}
relax.func @vector(%a: !relax.tensor<[n], i8>, %b: !relax.tensor<[], ui8>) -> !relax.object {
  %r = relax.take %a, %b : (!relax.tensor<[n], i8>, !relax.tensor<[], ui8>) -> !relax.tensor<[], i8>
  relax.return %r : !relax.tensor<[], i8>
}

// CHECK-LABEL: relax.func @clip(
// CHECK-NEXT: %r = relax.take %a, %b {axis = 1 : i64, mode = "clip"} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<[n, k], f32>{{$}}
relax.func @clip(%a: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<[k], i64>) -> !relax.object {
  %r = relax.take %a, %b {axis = 1 : i64, mode = "clip"} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<[n, k], f32>
  relax.return %r : !relax.tensor<[n, k], f32>
}

// CHECK-LABEL: relax.func @wrap(
// CHECK-NEXT: %r = relax.take %a, %b {mode = "wrap"} : (!relax.tensor<[n], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<[k], f32>{{$}}
relax.func @wrap(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[k], i64>) -> !relax.object {
  %r = relax.take %a, %b {mode = "wrap"} : (!relax.tensor<[n], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<[k], f32>
  relax.return %r : !relax.tensor<[k], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.take %a, %b {axis = 0 : i64} : (!relax.tensor<[?, 4]>, !relax.tensor<[?]>) -> !relax.tensor<[?, 4]>{{$}}
relax.func @unknown_dim(%a: !relax.tensor<[?, 4]>, %b: !relax.tensor<[?]>) -> !relax.object {
  %r = relax.take %a, %b {axis = 0 : i64} : (!relax.tensor<[?, 4]>, !relax.tensor<[?]>) -> !relax.tensor<[?, 4]>
  relax.return %r : !relax.tensor<[?, 4]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.take %a, %b {axis = 0 : i64} : (!relax.tensor<*, f32>, !relax.tensor<[k], i64>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%a: !relax.tensor<*, f32>, %b: !relax.tensor<[k], i64>) -> !relax.object {
  %r = relax.take %a, %b {axis = 0 : i64} : (!relax.tensor<*, f32>, !relax.tensor<[k], i64>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_rank_of_indices(
// CHECK-NEXT: %r = relax.take %a, %b {axis = 0 : i64} : (!relax.tensor<[n, 4], f32>, !relax.tensor<*, i64>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank_of_indices(%a: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<*, i64>) -> !relax.object {
  %r = relax.take %a, %b {axis = 0 : i64} : (!relax.tensor<[n, 4], f32>, !relax.tensor<*, i64>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @nan(
// CHECK-NEXT: %r = relax.take %a, %b {axis = 1 : i64, mode = "nan"} : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<[n, k], f32>{{$}}
relax.func @nan(%a: !relax.tensor<[n, m], f32>, %b: !relax.tensor<[k], i64>) -> !relax.object {
  %r = relax.take %a, %b {axis = 1 : i64, mode = "nan"} : (!relax.tensor<[n, m], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<[n, k], f32>
  relax.return %r : !relax.tensor<[n, k], f32>
}
