// RUN: not relax-opt %s 2>&1 | filecheck %s

// A float as zero point.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.quantize %x, %y, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: quantize_C1_zero_point.mlir:6:8: error: @f: relax.quantize (%r): expected an integer element type or a storage type of 'zero_point' (C1), found f32; convert with relax.astype first{{$}}
