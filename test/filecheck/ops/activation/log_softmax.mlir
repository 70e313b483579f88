// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @last(
// CHECK-NEXT: %r = relax.log_softmax %x {axis = -1 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>{{$}}
relax.func @last(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.log_softmax %x {axis = -1 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %r : !relax.tensor<[n, 4], f32>
}

// CHECK-LABEL: relax.func @first(
// CHECK-NEXT: %r = relax.log_softmax %x {axis = 0 : i64} : (!relax.tensor<[n, m], f16>) -> !relax.tensor<[n, m], f16>{{$}}
relax.func @first(%x: !relax.tensor<[n, m], f16>) -> !relax.object {
  %r = relax.log_softmax %x {axis = 0 : i64} : (!relax.tensor<[n, m], f16>) -> !relax.tensor<[n, m], f16>
  relax.return %r : !relax.tensor<[n, m], f16>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.log_softmax %x {axis = 1 : i64} : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, 4], f32>) -> !relax.object {
  %r = relax.log_softmax %x {axis = 1 : i64} : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>
  relax.return %r : !relax.tensor<[?, 4], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.log_softmax %x {axis = 3 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.log_softmax %x {axis = 3 : i64} : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
