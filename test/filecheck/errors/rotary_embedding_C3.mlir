// RUN: not relax-opt %s 2>&1 | filecheck %s

// The tables differ.

relax.func @f(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[9, 4], f32>, %z: !relax.tensor<[9, 3], f32>, %u: !relax.tensor<[b, n], i64>) -> !relax.object {
  %r = relax.rotary_embedding %x, %y, %z, %u : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[9, 4], f32>, !relax.tensor<[9, 3], f32>, !relax.tensor<[b, n], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: rotary_embedding_C3.mlir:6:8: error: @f: relax.rotary_embedding (%r): expected 'cos' and 'sin' of one shape (C3), found 3 for 4; reshape or slice one of them{{$}}
