// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no mode of that name.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.shape<[5, 5]>) -> !relax.object {
  %r = relax.resize2d %a, %b {coordinate_transformation_mode = "half"} : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.shape<[5, 5]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: resize_C5_coordinates.mlir:6:8: error: @f: relax.resize2d (%r): expected coordinate_transformation_mode to be one of "half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn", "tf_crop_and_resize", "half_pixel_symmetric" (C5), found "half"; correct coordinate_transformation_mode{{$}}
