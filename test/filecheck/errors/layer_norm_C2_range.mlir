// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such axis.

relax.func @f(%x: !relax.tensor<[2, 8], f32>, %gamma: !relax.tensor<[8], f32>, %beta: !relax.tensor<[8], f32>) -> !relax.object {
  %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 2>} : (!relax.tensor<[2, 8], f32>, !relax.tensor<[8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: layer_norm_C2_range.mlir:6:8: error: @f: relax.layer_norm (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C2), found 2; axes count from zero, negative ones from the end{{$}}
