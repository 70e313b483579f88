// RUN: not relax-opt %s 2>&1 | filecheck %s

// A region is divided into some bins.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.tensor<[k, 5], f32>) -> !relax.object {
  %r = relax.roi_align %a, %b {pooled_size = array<i64: 2, 0>, spatial_scale = 1.0 : f64} : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.tensor<[k, 5], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: roi_align_C6.mlir:6:8: error: @f: relax.roi_align (%r): expected 'pooled_size' to be 1 or 2 numbers of 1 or more (C6), found [2, 0]; write one for each of H, W{{$}}
