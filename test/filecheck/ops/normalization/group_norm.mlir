// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.group_norm %x, %gamma, %beta {num_groups = 3 : i64, channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (!relax.tensor<[2, 6, 4, 5], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>) -> !relax.tensor<[2, 6, 4, 5], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 6, 4, 5], f32>, %gamma: !relax.tensor<[6], f32>, %beta: !relax.tensor<[6], f32>) -> !relax.object {
  %r = relax.group_norm %x, %gamma, %beta {num_groups = 3 : i64, channel_axis = 1 : i64, axes = array<i64: 2, 3>} : (!relax.tensor<[2, 6, 4, 5], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>) -> !relax.tensor<[2, 6, 4, 5], f32>
  relax.return %r : !relax.tensor<[2, 6, 4, 5], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.group_norm %x, %gamma, %beta {num_groups = 2 : i64, channel_axis = 1 : i64, axes = array<i64: -1>} : (!relax.tensor<[n, 6, l], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>) -> !relax.tensor<[n, 6, l], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[n, 6, l], f32>, %gamma: !relax.tensor<[6], f32>, %beta: !relax.tensor<[6], f32>) -> !relax.object {
  %r = relax.group_norm %x, %gamma, %beta {num_groups = 2 : i64, channel_axis = 1 : i64, axes = array<i64: -1>} : (!relax.tensor<[n, 6, l], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>) -> !relax.tensor<[n, 6, l], f32>
  relax.return %r : !relax.tensor<[n, 6, l], f32>
}

// CHECK-LABEL: relax.func @not_proved(
// CHECK-NEXT: %r = relax.group_norm %x, %gamma, %beta {num_groups = 2 : i64, channel_axis = 1 : i64, axes = array<i64: -1>} : (!relax.tensor<[n, c, l], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> !relax.tensor<[n, c, l], f32>{{$}}
relax.func @not_proved(%x: !relax.tensor<[n, c, l], f32>, %gamma: !relax.tensor<[c], f32>, %beta: !relax.tensor<[c], f32>) -> !relax.object {
  %r = relax.group_norm %x, %gamma, %beta {num_groups = 2 : i64, channel_axis = 1 : i64, axes = array<i64: -1>} : (!relax.tensor<[n, c, l], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> !relax.tensor<[n, c, l], f32>
  relax.return %r : !relax.tensor<[n, c, l], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.group_norm %x, %gamma, %beta {num_groups = 2 : i64, channel_axis = 1 : i64, axes = array<i64: -1>} : (!relax.tensor<[n, ?, l], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> !relax.tensor<[n, ?, l], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[n, ?, l], f32>, %gamma: !relax.tensor<[c], f32>, %beta: !relax.tensor<[c], f32>) -> !relax.object {
  %r = relax.group_norm %x, %gamma, %beta {num_groups = 2 : i64, channel_axis = 1 : i64, axes = array<i64: -1>} : (!relax.tensor<[n, ?, l], f32>, !relax.tensor<[c], f32>, !relax.tensor<[c], f32>) -> !relax.tensor<[n, ?, l], f32>
  relax.return %r : !relax.tensor<[n, ?, l], f32>
}
