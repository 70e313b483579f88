// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.roi_pool %a, %b {pooled_size = array<i64: 2, 3>, spatial_scale = 5.000000e-01 : f64} : (!relax.tensor<[2, 3, 8, 9], f32>, !relax.tensor<[4, 5], f32>) -> !relax.tensor<[4, 3, 2, 3], f32>{{$}}
relax.func @static(%a: !relax.tensor<[2, 3, 8, 9], f32>, %b: !relax.tensor<[4, 5], f32>) -> !relax.object {
  %r = relax.roi_pool %a, %b {pooled_size = array<i64: 2, 3>, spatial_scale = 5.000000e-01 : f64} : (!relax.tensor<[2, 3, 8, 9], f32>, !relax.tensor<[4, 5], f32>) -> !relax.tensor<[4, 3, 2, 3], f32>
  relax.return %r : !relax.tensor<[4, 3, 2, 3], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.roi_pool %a, %b {pooled_size = array<i64: 7>, spatial_scale = 1.000000e+00 : f64, layout = "NHWC"} : (!relax.tensor<[b, h, w, c], f16>, !relax.tensor<[k, 5], f16>) -> !relax.tensor<[k, 7, 7, c], f16>{{$}}
relax.func @symbolic(%a: !relax.tensor<[b, h, w, c], f16>, %b: !relax.tensor<[k, 5], f16>) -> !relax.object {
  %r = relax.roi_pool %a, %b {pooled_size = array<i64: 7>, spatial_scale = 1.000000e+00 : f64, layout = "NHWC"} : (!relax.tensor<[b, h, w, c], f16>, !relax.tensor<[k, 5], f16>) -> !relax.tensor<[k, 7, 7, c], f16>
  relax.return %r : !relax.tensor<[k, 7, 7, c], f16>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r = relax.roi_pool %a, %b {pooled_size = array<i64: 2>, spatial_scale = 1.000000e+00 : f64} : (!relax.tensor<*, f32>, !relax.tensor<[k, ?]>) -> !relax.tensor<[k, ?, 2, 2]>{{$}}
relax.func @unknown(%a: !relax.tensor<*, f32>, %b: !relax.tensor<[k, ?]>) -> !relax.object {
  %r = relax.roi_pool %a, %b {pooled_size = array<i64: 2>, spatial_scale = 1.000000e+00 : f64} : (!relax.tensor<*, f32>, !relax.tensor<[k, ?]>) -> !relax.tensor<[k, ?, 2, 2]>
  relax.return %r : !relax.tensor<[k, ?, 2, 2]>
}
