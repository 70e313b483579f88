// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.instance_norm %x, %gamma, %beta {channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (!relax.tensor<[2, 3, 4, 5], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3, 4, 5], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3, 4, 5], f32>, %gamma: !relax.tensor<[3], f32>, %beta: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.instance_norm %x, %gamma, %beta {channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (!relax.tensor<[2, 3, 4, 5], f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[2, 3, 4, 5], f32>
  relax.return %r : !relax.tensor<[2, 3, 4, 5], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.instance_norm %x, %gamma, %beta {channel_axis = -1 : i64, axes = array<i64: 1>, epsilon = 1.000000e-06 : f64} : (!relax.tensor<[n, l, c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> !relax.tensor<[n, l, c], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, l, c], f32>, %gamma: !relax.tensor<[c], f32>, %beta: !relax.tensor<[c], f32>) -> !relax.object {
  %r = relax.instance_norm %x, %gamma, %beta {channel_axis = -1 : i64, axes = array<i64: 1>, epsilon = 1.000000e-06 : f64} : (!relax.tensor<[n, l, c], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> !relax.tensor<[n, l, c], f32>
  relax.return %r : !relax.tensor<[n, l, c], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.instance_norm %x, %gamma, %beta {channel_axis = 1 : i64, axes = array<i64: 2>} : (!relax.tensor<*, f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %gamma: !relax.tensor<[3], f32>, %beta: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.instance_norm %x, %gamma, %beta {channel_axis = 1 : i64, axes = array<i64: 2>} : (!relax.tensor<*, f32>, !relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
