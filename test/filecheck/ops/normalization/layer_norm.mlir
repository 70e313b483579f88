// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: -1>} : (!relax.tensor<[2, 8], f32>, !relax.tensor<[8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<[2, 8], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 8], f32>, %gamma: !relax.tensor<[8], f32>, %beta: !relax.tensor<[8], f32>) -> !relax.object {
  %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: -1>} : (!relax.tensor<[2, 8], f32>, !relax.tensor<[8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<[2, 8], f32>
  relax.return %r : !relax.tensor<[2, 8], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 1, 2>, epsilon = 1.000000e-06 : f64} : (!relax.tensor<[n, l, m], f32>, !relax.tensor<[l, m], f32>, !relax.tensor<[l, m], f32>) -> !relax.tensor<[n, l, m], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, l, m], f32>, %gamma: !relax.tensor<[l, m], f32>, %beta: !relax.tensor<[l, m], f32>) -> !relax.object {
  %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 1, 2>, epsilon = 1.000000e-06 : f64} : (!relax.tensor<[n, l, m], f32>, !relax.tensor<[l, m], f32>, !relax.tensor<[l, m], f32>) -> !relax.tensor<[n, l, m], f32>
  relax.return %r : !relax.tensor<[n, l, m], f32>
}

// CHECK-LABEL: relax.func @any_order(
// CHECK-NEXT: %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: -1, 0>, center = false} : (!relax.tensor<[n, l, m], f32>, !relax.tensor<[m, n], f32>, !relax.tensor<[m, n], f32>) -> !relax.tensor<[n, l, m], f32>{{$}}
relax.func @any_order(%x: !relax.tensor<[n, l, m], f32>, %gamma: !relax.tensor<[m, n], f32>, %beta: !relax.tensor<[m, n], f32>) -> !relax.object {
  %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: -1, 0>, center = false} : (!relax.tensor<[n, l, m], f32>, !relax.tensor<[m, n], f32>, !relax.tensor<[m, n], f32>) -> !relax.tensor<[n, l, m], f32>
  relax.return %r : !relax.tensor<[n, l, m], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 1>, scale = false} : (!relax.tensor<[n, ?], f64>, !relax.tensor<[4], f64>, !relax.tensor<[4], f64>) -> !relax.tensor<[n, ?], f64>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[n, ?], f64>, %gamma: !relax.tensor<[4], f64>, %beta: !relax.tensor<[4], f64>) -> !relax.object {
  %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 1>, scale = false} : (!relax.tensor<[n, ?], f64>, !relax.tensor<[4], f64>, !relax.tensor<[4], f64>) -> !relax.tensor<[n, ?], f64>
  relax.return %r : !relax.tensor<[n, ?], f64>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 1>} : (!relax.tensor<[n, 4]>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n, 4]>, %gamma: !relax.tensor<[4], f32>, %beta: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 1>} : (!relax.tensor<[n, 4]>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4]>
  relax.return %r : !relax.tensor<[n, 4]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 1>} : (!relax.tensor<*, f32>, !relax.tensor<[4], f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %gamma: !relax.tensor<[4], f32>, %beta: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 1>} : (!relax.tensor<*, f32>, !relax.tensor<[4], f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
