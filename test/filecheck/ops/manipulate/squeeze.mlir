// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @axis(
// CHECK-NEXT: %r = relax.squeeze %x {axis = array<i64: 1>} : (!relax.tensor<[n, 1, 4], f32>) -> !relax.tensor<[n, 4], f32>{{$}}
relax.func @axis(%x: !relax.tensor<[n, 1, 4], f32>) -> !relax.object {
  %r = relax.squeeze %x {axis = array<i64: 1>} : (!relax.tensor<[n, 1, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %r : !relax.tensor<[n, 4], f32>
}

// CHECK-LABEL: relax.func @axes(
// CHECK-NEXT: %r = relax.squeeze %x {axis = array<i64: 0, -1>} : (!relax.tensor<[1, n, 1], i1>) -> !relax.tensor<[n], i1>{{$}}
relax.func @axes(%x: !relax.tensor<[1, n, 1], i1>) -> !relax.object {
  %r = relax.squeeze %x {axis = array<i64: 0, -1>} : (!relax.tensor<[1, n, 1], i1>) -> !relax.tensor<[n], i1>
  relax.return %r : !relax.tensor<[n], i1>
}

// CHECK-LABEL: relax.func @to_be_checked(
// CHECK-NEXT: %r = relax.squeeze %x {axis = array<i64: 0>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m], f32>{{$}}
relax.func @to_be_checked(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.squeeze %x {axis = array<i64: 0>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m], f32>
  relax.return %r : !relax.tensor<[m], f32>
}

// CHECK-LABEL: relax.func @all(
// CHECK-NEXT: %r = relax.squeeze %x : (!relax.tensor<[1, 3, 1, n + 2], f32>) -> !relax.tensor<[3, n + 2], f32>{{$}}
relax.func @all(%x: !relax.tensor<[1, 3, 1, n + 2], f32>, %sizes: !relax.shape<[n]>) -> !relax.object {
  %r = relax.squeeze %x : (!relax.tensor<[1, 3, 1, n + 2], f32>) -> !relax.tensor<[3, n + 2], f32>
  relax.return %r : !relax.tensor<[3, n + 2], f32>
}

// CHECK-LABEL: relax.func @all_symbolic(
// CHECK-NEXT: %r = relax.squeeze %x : (!relax.tensor<[1, n], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @all_symbolic(%x: !relax.tensor<[1, n], f32>) -> !relax.object {
  %r = relax.squeeze %x : (!relax.tensor<[1, n], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.squeeze %x {axis = array<i64: 0>} : (!relax.tensor<[?, 4]>) -> !relax.tensor<[4]>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4]>) -> !relax.object {
  %r = relax.squeeze %x {axis = array<i64: 0>} : (!relax.tensor<[?, 4]>) -> !relax.tensor<[4]>
  relax.return %r : !relax.tensor<[4]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.squeeze %x {axis = array<i64: 0>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.squeeze %x {axis = array<i64: 0>} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
