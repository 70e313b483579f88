// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no method of that name.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.shape<[5, 5]>) -> !relax.object {
  %r = relax.resize2d %a, %b {method = "area"} : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.shape<[5, 5]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: resize_C5_method.mlir:6:8: error: @f: relax.resize2d (%r): expected method to be one of "nearest_neighbor", "linear", "cubic" (C5), found "area"; correct method{{$}}
