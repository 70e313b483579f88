// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.flatten %x : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[6], f32>{{$}}
// GENERIC: %r = "relax.flatten"(%x) : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[6], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.flatten %x : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[6], f32>
  relax.return %r : !relax.tensor<[6], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.flatten %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m * n], f32>{{$}}
// GENERIC: %r = "relax.flatten"(%x) : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m * n], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.flatten %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m * n], f32>
  relax.return %r : !relax.tensor<[m * n], f32>
}

// CHECK-LABEL: relax.func @compound(
// CHECK-NEXT: %r = relax.flatten %x : (!relax.tensor<[n + 1, 4], f32>) -> !relax.tensor<[4 * n + 4], f32>{{$}}
// GENERIC: %r = "relax.flatten"(%x) : (!relax.tensor<[n + 1, 4], f32>) -> !relax.tensor<[4 * n + 4], f32>{{$}}
relax.func @compound(%x: !relax.tensor<[n + 1, 4], f32>, %s: !relax.shape<[n]>) -> !relax.object {
  %r = relax.flatten %x : (!relax.tensor<[n + 1, 4], f32>) -> !relax.tensor<[4 * n + 4], f32>
  relax.return %r : !relax.tensor<[4 * n + 4], f32>
}

// CHECK-LABEL: relax.func @scalar(
// CHECK-NEXT: %r = relax.flatten %x : (!relax.tensor<[], f32>) -> !relax.tensor<[1], f32>{{$}}
// GENERIC: %r = "relax.flatten"(%x) : (!relax.tensor<[], f32>) -> !relax.tensor<[1], f32>{{$}}
relax.func @scalar(%x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.flatten %x : (!relax.tensor<[], f32>) -> !relax.tensor<[1], f32>
  relax.return %r : !relax.tensor<[1], f32>
}

// CHECK-LABEL: relax.func @vector(
// CHECK-NEXT: %r = relax.flatten %x : (!relax.tensor<[n], i8>) -> !relax.tensor<[n], i8>{{$}}
// GENERIC: %r = "relax.flatten"(%x) : (!relax.tensor<[n], i8>) -> !relax.tensor<[n], i8>{{$}}
relax.func @vector(%x: !relax.tensor<[n], i8>) -> !relax.object {
  %r = relax.flatten %x : (!relax.tensor<[n], i8>) -> !relax.tensor<[n], i8>
  relax.return %r : !relax.tensor<[n], i8>
}

// CHECK-LABEL: relax.func @empty(
// CHECK-NEXT: %r = relax.flatten %x : (!relax.tensor<[0, n], f32>) -> !relax.tensor<[0], f32>{{$}}
// GENERIC: %r = "relax.flatten"(%x) : (!relax.tensor<[0, n], f32>) -> !relax.tensor<[0], f32>{{$}}
relax.func @empty(%x: !relax.tensor<[0, n], f32>) -> !relax.object {
  %r = relax.flatten %x : (!relax.tensor<[0, n], f32>) -> !relax.tensor<[0], f32>
  relax.return %r : !relax.tensor<[0], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.flatten %x : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?], f32>{{$}}
// GENERIC: %r = "relax.flatten"(%x) : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], f32>) -> !relax.object {
  %r = relax.flatten %x : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.flatten %x : (!relax.tensor<*, f32>) -> !relax.tensor<[?], f32>{{$}}
// GENERIC: %r = "relax.flatten"(%x) : (!relax.tensor<*, f32>) -> !relax.tensor<[?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.flatten %x : (!relax.tensor<*, f32>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.flatten %x : (!relax.tensor<[n, 2]>) -> !relax.tensor<[2 * n]>{{$}}
// GENERIC: %r = "relax.flatten"(%x) : (!relax.tensor<[n, 2]>) -> !relax.tensor<[2 * n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, 2]>) -> !relax.object {
  %r = relax.flatten %x : (!relax.tensor<[n, 2]>) -> !relax.tensor<[2 * n]>
  relax.return %r : !relax.tensor<[2 * n]>
}

// CHECK-LABEL: relax.func @wider(
// CHECK-NEXT: %r = relax.flatten %x : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[?], f32>{{$}}
// GENERIC: %r = "relax.flatten"(%x) : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[?], f32>{{$}}
relax.func @wider(%x: !relax.tensor<[n, 2], f32>) -> !relax.object {
  %r = relax.flatten %x : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}
