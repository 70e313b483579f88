// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such mask.

relax.func @f(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[b, n, 4, 8], f32>, %z: !relax.tensor<[b, n, 4, 8], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z {causal_mask = "TopRight"} : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: attention_C6.mlir:6:8: error: @f: relax.attention (%r): expected 'causal_mask' to be one of "TopLeft", "BottomRight" (C6), found "TopRight"; correct 'causal_mask'{{$}}
