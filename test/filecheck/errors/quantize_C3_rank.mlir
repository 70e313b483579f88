// RUN: not relax-opt %s 2>&1 | filecheck %s

// A matrix of scales.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.quantize %x, %y, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: quantize_C3_rank.mlir:6:8: error: @f: relax.quantize (%r): expected 'scale' of rank 0 or 1 (C3), found rank 2; reshape it{{$}}
