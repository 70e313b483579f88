// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.stack %x, %y {axis = 0 : i64} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 2, 3], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.stack %x, %y {axis = 0 : i64} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2, 2, 3], f32>
  relax.return %r : !relax.tensor<[2, 2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.stack %x, %y, %z {axis = -1 : i64} : (!relax.tensor<[n, m], i64>, !relax.tensor<[n, m], i64>, !relax.tensor<[n, m], i64>) -> !relax.tensor<[n, m, 3], i64>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, m], i64>, %y: !relax.tensor<[n, m], i64>, %z: !relax.tensor<[n, m], i64>) -> !relax.object {
  %r = relax.stack %x, %y, %z {axis = -1 : i64} : (!relax.tensor<[n, m], i64>, !relax.tensor<[n, m], i64>, !relax.tensor<[n, m], i64>) -> !relax.tensor<[n, m, 3], i64>
  relax.return %r : !relax.tensor<[n, m, 3], i64>
}

// CHECK-LABEL: relax.func @scalars(
// CHECK-NEXT: %r = relax.stack %x, %y {axis = 0 : i64} : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[2], f32>{{$}}
relax.func @scalars(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.stack %x, %y {axis = 0 : i64} : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[2], f32>
  relax.return %r : !relax.tensor<[2], f32>
}

// CHECK-LABEL: relax.func @middle(
// CHECK-NEXT: %r = relax.stack %x, %y {axis = 1 : i64} : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, 2, m], f32>{{$}}
relax.func @middle(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.stack %x, %y {axis = 1 : i64} : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, 2, m], f32>
  relax.return %r : !relax.tensor<[n, 2, m], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.stack %x, %y {axis = 0 : i64} : (!relax.tensor<[?, ?], f32>, !relax.tensor<[n, ?], f32>) -> !relax.tensor<[2, n, ?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, ?], f32>, %y: !relax.tensor<[n, ?], f32>) -> !relax.object {
  %r = relax.stack %x, %y {axis = 0 : i64} : (!relax.tensor<[?, ?], f32>, !relax.tensor<[n, ?], f32>) -> !relax.tensor<[2, n, ?], f32>
  relax.return %r : !relax.tensor<[2, n, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.stack %x, %y {axis = 0 : i64} : (!relax.tensor<*>, !relax.tensor<*, f32>) -> !relax.tensor<*>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*>, %y: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.stack %x, %y {axis = 0 : i64} : (!relax.tensor<*>, !relax.tensor<*, f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}
