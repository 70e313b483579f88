// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.where %x, %y, %z : (!relax.tensor<[2, 3], i1>, !relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
// GENERIC: %r = "relax.where"(%x, %y, %z) : (!relax.tensor<[2, 3], i1>, !relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], i1>, %y: !relax.tensor<[2, 3], f32>, %z: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.where %x, %y, %z : (!relax.tensor<[2, 3], i1>, !relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @broadcast(
// CHECK-NEXT: %r = relax.where %x, %y, %z : (!relax.tensor<[n, 1], i1>, !relax.tensor<[m], i8>, !relax.tensor<[], i8>) -> !relax.tensor<[n, m], i8>{{$}}
// GENERIC: %r = "relax.where"(%x, %y, %z) : (!relax.tensor<[n, 1], i1>, !relax.tensor<[m], i8>, !relax.tensor<[], i8>) -> !relax.tensor<[n, m], i8>{{$}}
relax.func @broadcast(%x: !relax.tensor<[n, 1], i1>, %y: !relax.tensor<[m], i8>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.where %x, %y, %z : (!relax.tensor<[n, 1], i1>, !relax.tensor<[m], i8>, !relax.tensor<[], i8>) -> !relax.tensor<[n, m], i8>
  relax.return %r : !relax.tensor<[n, m], i8>
}

// CHECK-LABEL: relax.func @booleans(
// CHECK-NEXT: %r = relax.where %x, %y, %z : (!relax.tensor<[n], i1>, !relax.tensor<[n], i1>, !relax.tensor<[n], i1>) -> !relax.tensor<[n], i1>{{$}}
// GENERIC: %r = "relax.where"(%x, %y, %z) : (!relax.tensor<[n], i1>, !relax.tensor<[n], i1>, !relax.tensor<[n], i1>) -> !relax.tensor<[n], i1>{{$}}
relax.func @booleans(%x: !relax.tensor<[n], i1>, %y: !relax.tensor<[n], i1>, %z: !relax.tensor<[n], i1>) -> !relax.object {
  %r = relax.where %x, %y, %z : (!relax.tensor<[n], i1>, !relax.tensor<[n], i1>, !relax.tensor<[n], i1>) -> !relax.tensor<[n], i1>
  relax.return %r : !relax.tensor<[n], i1>
}

// CHECK-LABEL: relax.func @to_be_checked(
// CHECK-NEXT: %r = relax.where %x, %y, %z : (!relax.tensor<[n], i1>, !relax.tensor<[m], f32>, !relax.tensor<[1], f32>) -> !relax.tensor<[broadcast(m, n)], f32>{{$}}
// GENERIC: %r = "relax.where"(%x, %y, %z) : (!relax.tensor<[n], i1>, !relax.tensor<[m], f32>, !relax.tensor<[1], f32>) -> !relax.tensor<[broadcast(m, n)], f32>{{$}}
relax.func @to_be_checked(%x: !relax.tensor<[n], i1>, %y: !relax.tensor<[m], f32>, %z: !relax.tensor<[1], f32>) -> !relax.object {
  %r = relax.where %x, %y, %z : (!relax.tensor<[n], i1>, !relax.tensor<[m], f32>, !relax.tensor<[1], f32>) -> !relax.tensor<[broadcast(m, n)], f32>
  relax.return %r : !relax.tensor<[broadcast(m, n)], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.where %x, %y, %z : (!relax.tensor<[?], i1>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>{{$}}
// GENERIC: %r = "relax.where"(%x, %y, %z) : (!relax.tensor<[?], i1>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?], i1>, %y: !relax.tensor<[4], f32>, %z: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.where %x, %y, %z : (!relax.tensor<[?], i1>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  relax.return %r : !relax.tensor<[4], f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.where %x, %y, %z : (!relax.tensor<[n]>, !relax.tensor<[n], f32>, !relax.tensor<[n]>) -> !relax.tensor<[n]>{{$}}
// GENERIC: %r = "relax.where"(%x, %y, %z) : (!relax.tensor<[n]>, !relax.tensor<[n], f32>, !relax.tensor<[n]>) -> !relax.tensor<[n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>, %y: !relax.tensor<[n], f32>, %z: !relax.tensor<[n]>) -> !relax.object {
  %r = relax.where %x, %y, %z : (!relax.tensor<[n]>, !relax.tensor<[n], f32>, !relax.tensor<[n]>) -> !relax.tensor<[n]>
  relax.return %r : !relax.tensor<[n]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.where %x, %y, %z : (!relax.tensor<*, i1>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<*, f32>{{$}}
// GENERIC: %r = "relax.where"(%x, %y, %z) : (!relax.tensor<*, i1>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, i1>, %y: !relax.tensor<[n], f32>, %z: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.where %x, %y, %z : (!relax.tensor<*, i1>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
