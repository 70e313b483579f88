// RUN: not relax-opt %s 2>&1 | filecheck %s

// A region has an image and four edges.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.tensor<[k, 4], f32>) -> !relax.object {
  %r = relax.roi_align %a, %b {pooled_size = array<i64: 2>, spatial_scale = 1.0 : f64} : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.tensor<[k, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: roi_align_C5_size.mlir:6:8: error: @f: relax.roi_align (%r): expected five numbers in a row of 'rois' (C5), found 4 and 5; pass [image, x1, y1, x2, y2]{{$}}
