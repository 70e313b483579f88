// RUN: not relax-opt %s 2>&1 | filecheck %s

// The element types differ.

relax.func @f(%x: !relax.tensor<[2, 8], f16>, %gamma: !relax.tensor<[8], f32>, %beta: !relax.tensor<[8], f32>) -> !relax.object {
  %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 1>} : (!relax.tensor<[2, 8], f16>, !relax.tensor<[8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: layer_norm_C1_dtypes.mlir:6:8: error: @f: relax.layer_norm (%r): expected operands of one element type (C1), found f16 and f32; convert one of them with relax.astype{{$}}
