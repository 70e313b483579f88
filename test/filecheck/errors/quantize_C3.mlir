// RUN: not relax-opt %s 2>&1 | filecheck %s

// Three scales for four channels.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[3], f32>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.quantize %x, %y, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[3], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: quantize_C3.mlir:6:8: error: @f: relax.quantize (%r): expected one scale or zero point for all, or one for each index along the axis (C3), found 3 for 4; correct the axis, or the scale or zero point{{$}}
