// RUN: not relax-opt %s 2>&1 | filecheck %s

// Five pairs of eight numbers.

relax.func @f(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[9, 5], f32>, %z: !relax.tensor<[9, 5], f32>, %u: !relax.tensor<[b, n], i64>) -> !relax.object {
  %r = relax.rotary_embedding %x, %y, %z, %u : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[9, 5], f32>, !relax.tensor<[9, 5], f32>, !relax.tensor<[b, n], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: rotary_embedding_C4.mlir:6:8: error: @f: relax.rotary_embedding (%r): expected 'cos' to be at most half as wide as the heads (C4), found 5 for 8; correct 'cos' and 'sin'{{$}}
