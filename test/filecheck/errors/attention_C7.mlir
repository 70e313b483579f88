// RUN: not relax-opt %s 2>&1 | filecheck %s

// A window of nothing.

relax.func @f(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[b, n, 4, 8], f32>, %z: !relax.tensor<[b, n, 4, 8], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z {causal_mask = "TopLeft", window_size = 0 : i64} : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: attention_C7.mlir:6:8: error: @f: relax.attention (%r): expected 'window_size' to be at least 1 (C7), found 0; correct 'window_size'{{$}}
