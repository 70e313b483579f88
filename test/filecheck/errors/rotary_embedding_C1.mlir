// RUN: not relax-opt %s 2>&1 | filecheck %s

// Integers cannot be turned.

relax.func @f(%x: !relax.tensor<[b, n, 4, 8], i32>, %y: !relax.tensor<[9, 4], f32>, %z: !relax.tensor<[9, 4], f32>, %u: !relax.tensor<[b, n], i64>) -> !relax.object {
  %r = relax.rotary_embedding %x, %y, %z, %u : (!relax.tensor<[b, n, 4, 8], i32>, !relax.tensor<[9, 4], f32>, !relax.tensor<[9, 4], f32>, !relax.tensor<[b, n], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: rotary_embedding_C1.mlir:6:8: error: @f: relax.rotary_embedding (%r): expected a floating-point element type of 'x' (C1), found i32; convert with relax.astype first{{$}}
