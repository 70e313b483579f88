// RUN: not relax-opt %s 2>&1 | filecheck %s

// The part of an image has four ends.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.shape<[5, 5]>) -> !relax.object {
  %r = relax.resize2d %a, %b {roi = array<f64: 0.0, 1.0>, coordinate_transformation_mode = "tf_crop_and_resize"} : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.shape<[5, 5]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: resize_C8.mlir:6:8: error: @f: relax.resize2d (%r): expected 4 numbers in 'roi' for mode tf_crop_and_resize (C8), found 2; write all starts, then all ends{{$}}
