// RUN: not relax-opt %s 2>&1 | filecheck %s

// Rows without positions.

relax.func @f(%x: !relax.tensor<[b, n, 4, 8], f32>, %y: !relax.tensor<[9, 4], f32>, %z: !relax.tensor<[9, 4], f32>) -> !relax.object {
  %r = relax.rotary_embedding %x, %y, %z : (!relax.tensor<[b, n, 4, 8], f32>, !relax.tensor<[9, 4], f32>, !relax.tensor<[9, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: rotary_embedding_C2.mlir:6:8: error: @f: relax.rotary_embedding (%r): expected 'cos' of rank 3 (C2), found rank 2; reshape it, or correct the operands{{$}}
