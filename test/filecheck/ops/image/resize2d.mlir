// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.resize2d %a, %b : (!relax.tensor<[1, 3, 8, 6], f32>, !relax.shape<[5, 7]>) -> !relax.tensor<[1, 3, 5, 7], f32>{{$}}
relax.func @static(%a: !relax.tensor<[1, 3, 8, 6], f32>, %b: !relax.shape<[5, 7]>) -> !relax.object {
  %r = relax.resize2d %a, %b : (!relax.tensor<[1, 3, 8, 6], f32>, !relax.shape<[5, 7]>) -> !relax.tensor<[1, 3, 5, 7], f32>
  relax.return %r : !relax.tensor<[1, 3, 5, 7], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.resize2d %a, %b {method = "cubic", cubic_alpha = -5.000000e-01 : f64, cubic_exclude = true} : (!relax.tensor<[b, c, h, w], f16>, !relax.shape<[2 * h, w]>) -> !relax.tensor<[b, c, 2 * h, w], f16>{{$}}
relax.func @symbolic(%a: !relax.tensor<[b, c, h, w], f16>, %b: !relax.shape<[2 * h, w]>) -> !relax.object {
  %r = relax.resize2d %a, %b {method = "cubic", cubic_alpha = -5.000000e-01 : f64, cubic_exclude = true} : (!relax.tensor<[b, c, h, w], f16>, !relax.shape<[2 * h, w]>) -> !relax.tensor<[b, c, 2 * h, w], f16>
  relax.return %r : !relax.tensor<[b, c, 2 * h, w], f16>
}

// CHECK-LABEL: relax.func @channels_last(
// CHECK-NEXT: %r = relax.resize2d %a, %b {layout = "NHWC", method = "nearest_neighbor", coordinate_transformation_mode = "asymmetric", rounding_method = "floor", out_dtype = f32} : (!relax.tensor<[b, h, w, c], ui8>, !relax.shape<[2 * h, w]>) -> !relax.tensor<[b, 2 * h, w, c], f32>{{$}}
relax.func @channels_last(%a: !relax.tensor<[b, h, w, c], ui8>, %b: !relax.shape<[2 * h, w]>) -> !relax.object {
  %r = relax.resize2d %a, %b {layout = "NHWC", method = "nearest_neighbor", coordinate_transformation_mode = "asymmetric", rounding_method = "floor", out_dtype = f32} : (!relax.tensor<[b, h, w, c], ui8>, !relax.shape<[2 * h, w]>) -> !relax.tensor<[b, 2 * h, w, c], f32>
  relax.return %r : !relax.tensor<[b, 2 * h, w, c], f32>
}

// CHECK-LABEL: relax.func @cropped(
// CHECK-NEXT: %r = relax.resize2d %a, %b {roi = array<f64: 2.500000e-01, 2.500000e-01, 1.500000e+00, 1.500000e+00>, coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 7.000000e+00 : f64} : (!relax.tensor<[1, 3, 8, 6], f32>, !relax.shape<[5, 7]>) -> !relax.tensor<[1, 3, 5, 7], f32>{{$}}
relax.func @cropped(%a: !relax.tensor<[1, 3, 8, 6], f32>, %b: !relax.shape<[5, 7]>) -> !relax.object {
  %r = relax.resize2d %a, %b {roi = array<f64: 2.500000e-01, 2.500000e-01, 1.500000e+00, 1.500000e+00>, coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 7.000000e+00 : f64} : (!relax.tensor<[1, 3, 8, 6], f32>, !relax.shape<[5, 7]>) -> !relax.tensor<[1, 3, 5, 7], f32>
  relax.return %r : !relax.tensor<[1, 3, 5, 7], f32>
}

// CHECK-LABEL: relax.func @scaled(
// CHECK-NEXT: %r = relax.resize2d %a, %b, %s {antialias = true} : (!relax.tensor<[1, 3, h, w], f32>, !relax.shape<[m, n]>, !relax.tensor<[2], f32>) -> !relax.tensor<[1, 3, m, n], f32>{{$}}
relax.func @scaled(%a: !relax.tensor<[1, 3, h, w], f32>, %b: !relax.shape<[m, n]>, %s: !relax.tensor<[2], f32>) -> !relax.object {
  %r = relax.resize2d %a, %b, %s {antialias = true} : (!relax.tensor<[1, 3, h, w], f32>, !relax.shape<[m, n]>, !relax.tensor<[2], f32>) -> !relax.tensor<[1, 3, m, n], f32>
  relax.return %r : !relax.tensor<[1, 3, m, n], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.resize2d %a, %b {coordinate_transformation_mode = "align_corners"} : (!relax.tensor<[b, ?, ?, ?]>, !relax.shape<[h, w]>) -> !relax.tensor<[b, ?, h, w]>{{$}}
relax.func @unknown_dim(%a: !relax.tensor<[b, ?, ?, ?]>, %b: !relax.shape<[h, w]>) -> !relax.object {
  %r = relax.resize2d %a, %b {coordinate_transformation_mode = "align_corners"} : (!relax.tensor<[b, ?, ?, ?]>, !relax.shape<[h, w]>) -> !relax.tensor<[b, ?, h, w]>
  relax.return %r : !relax.tensor<[b, ?, h, w]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.resize2d %a, %b : (!relax.tensor<*, f32>, !relax.shape<*>) -> !relax.tensor<[?, ?, ?, ?], f32>{{$}}
relax.func @unknown_rank(%a: !relax.tensor<*, f32>, %b: !relax.shape<*>) -> !relax.object {
  %r = relax.resize2d %a, %b : (!relax.tensor<*, f32>, !relax.shape<*>) -> !relax.tensor<[?, ?, ?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?, ?, ?], f32>
}
