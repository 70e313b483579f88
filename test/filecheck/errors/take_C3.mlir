// RUN: not relax-opt %s 2>&1 | filecheck %s

// What is outside is an error, clipped, wrapped or NaN.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[k], i64>) -> !relax.object {
  %r = relax.take %a, %b {axis = 0 : i64, mode = "raise"} : (!relax.tensor<[n], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: take_C3.mlir:6:8: error: @f: relax.take (%r): expected mode to be one of "fast", "clip", "wrap", "nan" (C3), found "raise"; correct mode{{$}}
