// RUN: not relax-opt %s 2>&1 | filecheck %s

// The element types differ.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>, %z: !relax.tensor<[n], f64>) -> !relax.object {
  %r = relax.ewise_fma %x, %y, %z : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: ewise_fma_C1_dtypes.mlir:6:8: error: @f: relax.ewise_fma (%r): expected operands of one element type (C1), found f32 and f64; convert one of them with relax.astype{{$}}
