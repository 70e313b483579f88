// RUN: not relax-opt %s 2>&1 | filecheck %s

// Scales of blocks have the tensor's axes.

relax.func @f(%x: !relax.tensor<[4, 6], i4>, %s: !relax.tensor<[3], f32>, %z: !relax.tensor<[], i4>) -> !relax.object {
  %r = relax.dequantize %x, %s, %z {axis = 1, block_size = 2} : (!relax.tensor<[4, 6], i4>, !relax.tensor<[3], f32>, !relax.tensor<[], i4>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: dequantize_C3_blocks.mlir:6:8: error: @f: relax.dequantize (%r): expected 'scale' of rank 2, as the tensor has, with 'block_size' (C3), found rank 1; reshape it, or leave out block_size{{$}}
