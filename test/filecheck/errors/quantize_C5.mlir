// RUN: not relax-opt %s 2>&1 | filecheck %s

// A block has a size.

relax.func @f(%x: !relax.tensor<[4], f32>, %s: !relax.tensor<[2], f32>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.quantize %x, %s, %z {block_size = -2} : (!relax.tensor<[4], f32>, !relax.tensor<[2], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: quantize_C5.mlir:6:8: error: @f: relax.quantize (%r): expected block_size to be at least 0 (C5), found -2; correct block_size{{$}}
