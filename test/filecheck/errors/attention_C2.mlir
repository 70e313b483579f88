// RUN: not relax-opt %s 2>&1 | filecheck %s

// A sequence without heads.

relax.func @f(%x: !relax.tensor<[b, n, 8], f32>, %y: !relax.tensor<[b, n, 4, 8], f32>, %z: !relax.tensor<[b, n, 4, 8], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: attention_C2.mlir:6:8: error: @f: relax.attention (%r): expected 'query' of rank 4 (C2), found rank 3; reshape it, or add dimensions of size 1{{$}}
