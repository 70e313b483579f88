// RUN: not relax-opt %s 2>&1 | filecheck %s

// The last axis stands twice.

relax.func @f(%x: !relax.tensor<[2, 8], f32>, %gamma: !relax.tensor<[8, 8], f32>, %beta: !relax.tensor<[8, 8], f32>) -> !relax.object {
  %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 1, -1>} : (!relax.tensor<[2, 8], f32>, !relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: layer_norm_C2_twice.mlir:6:8: error: @f: relax.layer_norm (%r): expected each axis once (C2), found [1, -1]; leave out the repeated ones{{$}}
