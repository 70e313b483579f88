// RUN: not relax-opt %s 2>&1 | filecheck %s

// A bias for three heads of four.

relax.func @f(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[b, n, 4, 8], f32>, %z: !relax.tensor<[b, n, 4, 8], f32>, %u: !relax.tensor<[1, 3, n, n], f32>) -> !relax.object {
  %r = relax.attention %x, %y, %z, %u : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[1, 3, n, n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: attention_C5.mlir:6:8: error: @f: relax.attention (%r): expected 'bias' to broadcast to [batch, heads, queries, keys] (C5), found 3 for 4; make each size of it 1 or that size{{$}}
