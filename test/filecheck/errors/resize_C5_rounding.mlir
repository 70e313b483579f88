// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no rounding of that name.

relax.func @f(%a: !relax.tensor<[1, 3, 4, 4], f32>, %b: !relax.shape<[5, 5]>) -> !relax.object {
  %r = relax.resize2d %a, %b {rounding_method = "up"} : (!relax.tensor<[1, 3, 4, 4], f32>, !relax.shape<[5, 5]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: resize_C5_rounding.mlir:6:8: error: @f: relax.resize2d (%r): expected rounding_method to be one of "", "round", "round_prefer_floor", "round_prefer_ceil", "floor", "ceil" (C5), found "up"; correct rounding_method{{$}}
