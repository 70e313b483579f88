// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.concat %x, %y {axis = 0 : i64} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[4, 3], f32>) -> !relax.tensor<[6, 3], f32>{{$}}
// GENERIC: %r = "relax.concat"(%x, %y) <{axis = 0 : i64}> : (!relax.tensor<[2, 3], f32>, !relax.tensor<[4, 3], f32>) -> !relax.tensor<[6, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[4, 3], f32>) -> !relax.object {
  %r = relax.concat %x, %y {axis = 0 : i64} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[4, 3], f32>) -> !relax.tensor<[6, 3], f32>
  relax.return %r : !relax.tensor<[6, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.concat %x, %y, %z {axis = 0 : i64} : (!relax.tensor<[n, 3], f32>, !relax.tensor<[m, 3], f32>, !relax.tensor<[n, 3], f32>) -> !relax.tensor<[m + 2 * n, 3], f32>{{$}}
// GENERIC: %r = "relax.concat"(%x, %y, %z) <{axis = 0 : i64}> : (!relax.tensor<[n, 3], f32>, !relax.tensor<[m, 3], f32>, !relax.tensor<[n, 3], f32>) -> !relax.tensor<[m + 2 * n, 3], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 3], f32>, %y: !relax.tensor<[m, 3], f32>, %z: !relax.tensor<[n, 3], f32>) -> !relax.object {
  %r = relax.concat %x, %y, %z {axis = 0 : i64} : (!relax.tensor<[n, 3], f32>, !relax.tensor<[m, 3], f32>, !relax.tensor<[n, 3], f32>) -> !relax.tensor<[m + 2 * n, 3], f32>
  relax.return %r : !relax.tensor<[m + 2 * n, 3], f32>
}

// CHECK-LABEL: relax.func @last(
// CHECK-NEXT: %r = relax.concat %x, %y {axis = -1 : i64} : (!relax.tensor<[n, m], i8>, !relax.tensor<[n, 1], i8>) -> !relax.tensor<[n, m + 1], i8>{{$}}
// GENERIC: %r = "relax.concat"(%x, %y) <{axis = -1 : i64}> : (!relax.tensor<[n, m], i8>, !relax.tensor<[n, 1], i8>) -> !relax.tensor<[n, m + 1], i8>{{$}}
relax.func @last(%x: !relax.tensor<[n, m], i8>, %y: !relax.tensor<[n, 1], i8>) -> !relax.object {
  %r = relax.concat %x, %y {axis = -1 : i64} : (!relax.tensor<[n, m], i8>, !relax.tensor<[n, 1], i8>) -> !relax.tensor<[n, m + 1], i8>
  relax.return %r : !relax.tensor<[n, m + 1], i8>
}

// CHECK-LABEL: relax.func @flat(
// CHECK-NEXT: %r = relax.concat %x, %y : (!relax.tensor<[n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[m * n + 1], f32>{{$}}
// GENERIC: %r = "relax.concat"(%x, %y) : (!relax.tensor<[n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[m * n + 1], f32>{{$}}
relax.func @flat(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.concat %x, %y : (!relax.tensor<[n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[m * n + 1], f32>
  relax.return %r : !relax.tensor<[m * n + 1], f32>
}

// CHECK-LABEL: relax.func @one(
// CHECK-NEXT: %r = relax.concat %x {axis = 0 : i64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
// GENERIC: %r = "relax.concat"(%x) <{axis = 0 : i64}> : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
relax.func @one(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.concat %x {axis = 0 : i64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @constant_size(
// CHECK-NEXT: %r = relax.concat %x, %y {axis = 1 : i64} : (!relax.tensor<[n, 2], f32>, !relax.tensor<[4, 3], f32>) -> !relax.tensor<[4, 5], f32>{{$}}
// GENERIC: %r = "relax.concat"(%x, %y) <{axis = 1 : i64}> : (!relax.tensor<[n, 2], f32>, !relax.tensor<[4, 3], f32>) -> !relax.tensor<[4, 5], f32>{{$}}
relax.func @constant_size(%x: !relax.tensor<[n, 2], f32>, %y: !relax.tensor<[4, 3], f32>) -> !relax.object {
  %r = relax.concat %x, %y {axis = 1 : i64} : (!relax.tensor<[n, 2], f32>, !relax.tensor<[4, 3], f32>) -> !relax.tensor<[4, 5], f32>
  relax.return %r : !relax.tensor<[4, 5], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.concat %x, %y {axis = 0 : i64} : (!relax.tensor<[?, ?], f32>, !relax.tensor<[n, 3], f32>) -> !relax.tensor<[?, 3], f32>{{$}}
// GENERIC: %r = "relax.concat"(%x, %y) <{axis = 0 : i64}> : (!relax.tensor<[?, ?], f32>, !relax.tensor<[n, 3], f32>) -> !relax.tensor<[?, 3], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, ?], f32>, %y: !relax.tensor<[n, 3], f32>) -> !relax.object {
  %r = relax.concat %x, %y {axis = 0 : i64} : (!relax.tensor<[?, ?], f32>, !relax.tensor<[n, 3], f32>) -> !relax.tensor<[?, 3], f32>
  relax.return %r : !relax.tensor<[?, 3], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.concat %x, %y {axis = 1 : i64} : (!relax.tensor<*, f32>, !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, ?], f32>{{$}}
// GENERIC: %r = "relax.concat"(%x, %y) <{axis = 1 : i64}> : (!relax.tensor<*, f32>, !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[n, 3], f32>) -> !relax.object {
  %r = relax.concat %x, %y {axis = 1 : i64} : (!relax.tensor<*, f32>, !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, ?], f32>
  relax.return %r : !relax.tensor<[n, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_ranks(
// CHECK-NEXT: %r = relax.concat %x, %y {axis = 1 : i64} : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.concat"(%x, %y) <{axis = 1 : i64}> : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_ranks(%x: !relax.tensor<*, f32>, %y: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.concat %x, %y {axis = 1 : i64} : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.concat %x, %y {axis = 0 : i64} : (!relax.tensor<[n], f32>, !relax.tensor<[m]>) -> !relax.tensor<[m + n]>{{$}}
// GENERIC: %r = "relax.concat"(%x, %y) <{axis = 0 : i64}> : (!relax.tensor<[n], f32>, !relax.tensor<[m]>) -> !relax.tensor<[m + n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m]>) -> !relax.object {
  %r = relax.concat %x, %y {axis = 0 : i64} : (!relax.tensor<[n], f32>, !relax.tensor<[m]>) -> !relax.tensor<[m + n]>
  relax.return %r : !relax.tensor<[m + n]>
}
