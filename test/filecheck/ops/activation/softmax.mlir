// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.softmax %x {axis = -1 : i64} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
// GENERIC: %r = "relax.softmax"(%x) <{axis = -1 : i64}> : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.softmax %x {axis = -1 : i64} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @empty(
// CHECK-NEXT: %r = relax.softmax %x {axis = 0 : i64} : (!relax.tensor<[0], f32>) -> !relax.tensor<[0], f32>{{$}}
// GENERIC: %r = "relax.softmax"(%x) <{axis = 0 : i64}> : (!relax.tensor<[0], f32>) -> !relax.tensor<[0], f32>{{$}}
relax.func @empty(%x: !relax.tensor<[0], f32>) -> !relax.object {
  %r = relax.softmax %x {axis = 0 : i64} : (!relax.tensor<[0], f32>) -> !relax.tensor<[0], f32>
  relax.return %r : !relax.tensor<[0], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.softmax %x {axis = 3 : i64} : (!relax.tensor<[n, 2 * m, n mod 4, m], f32>) -> !relax.tensor<[n, 2 * m, n mod 4, m], f32>{{$}}
// GENERIC: %r = "relax.softmax"(%x) <{axis = 3 : i64}> : (!relax.tensor<[n, 2 * m, n mod 4, m], f32>) -> !relax.tensor<[n, 2 * m, n mod 4, m], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 2 * m, n mod 4, m], f32>) -> !relax.object {
  %r = relax.softmax %x {axis = 3 : i64} : (!relax.tensor<[n, 2 * m, n mod 4, m], f32>) -> !relax.tensor<[n, 2 * m, n mod 4, m], f32>
  relax.return %r : !relax.tensor<[n, 2 * m, n mod 4, m], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.softmax %x {axis = 1 : i64} : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
// GENERIC: %r = "relax.softmax"(%x) <{axis = 1 : i64}> : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], f32>) -> !relax.object {
  %r = relax.softmax %x {axis = 1 : i64} : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>
  relax.return %r : !relax.tensor<[?, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.softmax %x {axis = 7 : i64} : (!relax.tensor<*, f16>) -> !relax.tensor<*, f16>{{$}}
// GENERIC: %r = "relax.softmax"(%x) <{axis = 7 : i64}> : (!relax.tensor<*, f16>) -> !relax.tensor<*, f16>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f16>) -> !relax.object {
  %r = relax.softmax %x {axis = 7 : i64} : (!relax.tensor<*, f16>) -> !relax.tensor<*, f16>
  relax.return %r : !relax.tensor<*, f16>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.softmax %x {axis = 0 : i64} : (!relax.tensor<[n]>) -> !relax.tensor<[n]>{{$}}
// GENERIC: %r = "relax.softmax"(%x) <{axis = 0 : i64}> : (!relax.tensor<[n]>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>) -> !relax.object {
  %r = relax.softmax %x {axis = 0 : i64} : (!relax.tensor<[n]>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.softmax %x {axis = -3 : i64} : (!relax.tensor<*>) -> !relax.tensor<*>{{$}}
// GENERIC: %r = "relax.softmax"(%x) <{axis = -3 : i64}> : (!relax.tensor<*>) -> !relax.tensor<*>{{$}}
relax.func @unknown(%x: !relax.tensor<*>) -> !relax.object {
  %r = relax.softmax %x {axis = -3 : i64} : (!relax.tensor<*>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK-LABEL: relax.func @wider(
// CHECK-NEXT: %r = relax.softmax %x {axis = 0 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
// GENERIC: %r = "relax.softmax"(%x) <{axis = 0 : i64}> : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
relax.func @wider(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.softmax %x {axis = 0 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[?, 4], f32>
  relax.return %r : !relax.tensor<[?, 4], f32>
}

// CHECK-LABEL: relax.func @wider_dtype(
// CHECK-NEXT: %r = relax.softmax %x {axis = -2 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4]>{{$}}
// GENERIC: %r = "relax.softmax"(%x) <{axis = -2 : i64}> : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4]>{{$}}
relax.func @wider_dtype(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.softmax %x {axis = -2 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4]>
  relax.return %r : !relax.tensor<[n, 4]>
}

// CHECK-LABEL: relax.func @wider_rank(
// CHECK-NEXT: %r = relax.softmax %x {axis = -1 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.softmax"(%x) <{axis = -1 : i64}> : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @wider_rank(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.softmax %x {axis = -1 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
