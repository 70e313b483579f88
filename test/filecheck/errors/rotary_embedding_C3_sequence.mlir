// RUN: not relax-opt %s 2>&1 | filecheck %s

// The angles are for another sequence.

relax.func @f(%x: !relax.tensor<[b, 5, 4, 8], f32>, %y: !relax.tensor<[9, 4], f32>, %z: !relax.tensor<[9, 4], f32>, %u: !relax.tensor<[b, 6], i64>) -> !relax.object {
  %r = relax.rotary_embedding %x, %y, %z, %u : (!relax.tensor<[b, 5, 4, 8], f32>, !relax.tensor<[9, 4], f32>, !relax.tensor<[9, 4], f32>, !relax.tensor<[b, 6], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: rotary_embedding_C3_sequence.mlir:6:8: error: @f: relax.rotary_embedding (%r): expected x and angles of one batch and sequence (C3), found 6 for 5; reshape or slice one of them{{$}}
