// RUN: not relax-opt %s 2>&1 | filecheck %s

// Both have one element type.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.tensor<[k, 5], f64>) -> !relax.object {
  %r = relax.roi_align %a, %b {pooled_size = array<i64: 2>, spatial_scale = 1.0 : f64} : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.tensor<[k, 5], f64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: roi_align_C4.mlir:6:8: error: @f: relax.roi_align (%r): expected operands of one element type (C4), found f32 and f64; convert one of them with relax.astype{{$}}
