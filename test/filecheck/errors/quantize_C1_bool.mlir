// RUN: not relax-opt %s 2>&1 | filecheck %s

// A boolean is no zero point.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], i1>) -> !relax.object {
  %r = relax.quantize %x, %y, %z : (!relax.tensor<[n, 4], f32>, !relax.tensor<[], f32>, !relax.tensor<[], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: quantize_C1_bool.mlir:6:8: error: @f: relax.quantize (%r): expected an integer element type or a storage type of 'zero_point' (C1), found i1; convert with relax.astype first{{$}}
