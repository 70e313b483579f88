// RUN: not relax-opt %s 2>&1 | filecheck %s

// Queries and keys of different depth.

relax.func @f(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[b, m, 4, 6], f32>, %z: !relax.tensor<[b, m, 4, 8], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, m, 4, 6], f32>, !relax.tensor<[b, m, 4, 8], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: attention_C3.mlir:6:8: error: @f: relax.attention (%r): expected query and key to have one depth (C3), found 6 for 8; reshape or slice one of them{{$}}
