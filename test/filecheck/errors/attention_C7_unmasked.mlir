// RUN: not relax-opt %s 2>&1 | filecheck %s

// A window without an end.

relax.func @f(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[b, n, 4, 8], f32>, %z: !relax.tensor<[b, n, 4, 8], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z {window_size = 3 : i64} : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: attention_C7_unmasked.mlir:6:8: error: @f: relax.attention (%r): expected a causal mask where there is a window (C7), found none; write causal_mask = "TopLeft" or "BottomRight"{{$}}
