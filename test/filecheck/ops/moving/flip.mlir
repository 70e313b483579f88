// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.flip %x {axis = 0 : i64} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.flip %x {axis = 0 : i64} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 3], f32>
  relax.return %r : !relax.tensor<[2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.flip %x {axis = -1 : i64} : (!relax.tensor<[n, m], i64>) -> !relax.tensor<[n, m], i64>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], i64>) -> !relax.object {
  %r = relax.flip %x {axis = -1 : i64} : (!relax.tensor<[n, m], i64>) -> !relax.tensor<[n, m], i64>
  relax.return %r : !relax.tensor<[n, m], i64>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.flip %x {axis = 1 : i64} : (!relax.tensor<[?, 4]>) -> !relax.tensor<[?, 4]>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4]>) -> !relax.object {
  %r = relax.flip %x {axis = 1 : i64} : (!relax.tensor<[?, 4]>) -> !relax.tensor<[?, 4]>
  relax.return %r : !relax.tensor<[?, 4]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.flip %x {axis = 1 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.flip %x {axis = 1 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
