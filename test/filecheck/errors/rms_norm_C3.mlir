// RUN: not relax-opt %s 2>&1 | filecheck %s

// Another size than that of x.

relax.func @f(%x: !relax.tensor<[n, 8], f32>, %w: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.rms_norm %x, %w {axes = array<i64: -1>} : (!relax.tensor<[n, 8], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: rms_norm_C3.mlir:6:8: error: @f: relax.rms_norm (%r): expected 'weight' to have the sizes of x along axes [1] (C3), found [4] for [8]; reshape 'weight', or correct the axes{{$}}
