// RUN: not relax-opt %s 2>&1 | filecheck %s

// Samples are averaged, or the largest is taken.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.tensor<[k, 5], f32>) -> !relax.object {
  %r = relax.roi_align %a, %b {pooled_size = array<i64: 2>, spatial_scale = 1.0 : f64, mode = "sum"} : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.tensor<[k, 5], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: roi_align_C7.mlir:6:8: error: @f: relax.roi_align (%r): expected mode to be one of "avg", "max", "max_addend" (C7), found "sum"; correct mode{{$}}
