// RUN: not relax-opt %s 2>&1 | filecheck %s

// Every region is a row.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.tensor<[5], f32>) -> !relax.object {
  %r = relax.roi_align %a, %b {pooled_size = array<i64: 2>, spatial_scale = 1.0 : f64} : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.tensor<[5], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: roi_align_C5_rank.mlir:6:8: error: @f: relax.roi_align (%r): expected 'rois' of rank 2 (C5), found rank 1; pass rows [image, x1, y1, x2, y2]{{$}}
