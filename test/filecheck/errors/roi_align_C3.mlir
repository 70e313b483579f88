// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is nothing to sample.

relax.func @f(%a: !relax.tensor<[1, 3, 0, 4], f32>, %b: !relax.tensor<[k, 5], f32>) -> !relax.object {
  %r = relax.roi_align %a, %b {pooled_size = array<i64: 2>, spatial_scale = 1.0 : f64} : (!relax.tensor<[1, 3, 0, 4], f32>, !relax.tensor<[k, 5], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: roi_align_C3.mlir:6:8: error: @f: relax.roi_align (%r): expected x to have 1 or more elements along H (C3), found 0; leave the operator out for empty images{{$}}
