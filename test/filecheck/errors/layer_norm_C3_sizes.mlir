// RUN: not relax-opt %s 2>&1 | filecheck %s

// Another size than that of x.

relax.func @f(%x: !relax.tensor<[n, 8], f32>, %gamma: !relax.tensor<[8], f32>, %beta: !relax.tensor<[7], f32>) -> !relax.object {
  %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 1>} : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8], f32>, !relax.tensor<[7], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: layer_norm_C3_sizes.mlir:6:8: error: @f: relax.layer_norm (%r): expected 'beta' to have the sizes of x along axes [1] (C3), found [7] for [8]; reshape 'beta', or correct the axes{{$}}
