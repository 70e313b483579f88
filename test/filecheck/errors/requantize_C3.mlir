// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is one scale for all, or one for each place along the axis.

relax.func @f(%x: !relax.tensor<[n, 4], i8>, %y: !relax.tensor<[3], f32>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[], f32>, %v: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.requantize %x, %y, %z, %u, %v : (!relax.tensor<[n, 4], i8>, !relax.tensor<[3], f32>, !relax.tensor<[], i8>, !relax.tensor<[], f32>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: requantize_C3.mlir:6:8: error: @f: relax.requantize (%r): expected one scale or zero point for all, or one for each index along the axis (C3), found 3 for 4; correct the axis, or the scale or zero point{{$}}
