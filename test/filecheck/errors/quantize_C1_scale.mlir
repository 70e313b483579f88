// RUN: not relax-opt %s 2>&1 | filecheck %s

// An integer as scale.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[], i8>, %z: !relax.tensor<[], i8>) -> !relax.object {
  %r = relax.quantize %x, %y, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], i8>, !relax.tensor<[], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: quantize_C1_scale.mlir:6:8: error: @f: relax.quantize (%r): expected a floating-point element type of 'scale' (C1), found i8; convert with relax.astype first{{$}}
