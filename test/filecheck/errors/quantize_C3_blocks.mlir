// RUN: not relax-opt %s 2>&1 | filecheck %s

// Each block has a scale.

relax.func @f(%x: !relax.tensor<[4, 6], f32>, %s: !relax.tensor<[4, 2], f32>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.quantize %x, %s, %z {axis = 1, block_size = 2} : (!relax.tensor<[4, 6], f32>, !relax.tensor<[4, 2], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: quantize_C3_blocks.mlir:6:8: error: @f: relax.quantize (%r): expected a scale or zero point for each block of 2 (C3) in dimension 1, found 2 for 3; correct block_size, or the scale or zero point{{$}}
