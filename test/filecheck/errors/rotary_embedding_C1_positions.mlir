// RUN: not relax-opt %s 2>&1 | filecheck %s

// A position between rows.

relax.func @f(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[9, 4], f32>, %z: !relax.tensor<[9, 4], f32>, %u: !relax.tensor<[b, n], f32>) -> !relax.object {
  %r = relax.rotary_embedding %x, %y, %z, %u : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[9, 4], f32>, !relax.tensor<[9, 4], f32>, !relax.tensor<[b, n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: rotary_embedding_C1_positions.mlir:6:8: error: @f: relax.rotary_embedding (%r): expected an integer element type of 'position_ids' (C1), found f32; convert with relax.astype first{{$}}
