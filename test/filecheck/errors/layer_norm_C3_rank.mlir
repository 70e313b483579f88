// RUN: not relax-opt %s 2>&1 | filecheck %s

// One size for two axes.

relax.func @f(%x: !relax.tensor<[n, 4, 8], f32>, %gamma: !relax.tensor<[32], f32>, %beta: !relax.tensor<[32], f32>) -> !relax.object {
  %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 1, 2>} : (!relax.tensor<[n, 4, 8], f32>, !relax.tensor<[32], f32>, !relax.tensor<[32], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: layer_norm_C3_rank.mlir:6:8: error: @f: relax.layer_norm (%r): expected 'gamma' to have the sizes of x along axes [1, 2] (C3), found [32] for [4, 8]; reshape 'gamma', or correct the axes{{$}}
