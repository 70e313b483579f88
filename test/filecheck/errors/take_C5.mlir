// RUN: not relax-opt %s 2>&1 | filecheck %s

// No integer is NaN.

relax.func @f(%a: !relax.tensor<[n], i32>, %b: !relax.tensor<[k], i64>) -> !relax.object {
  %r = relax.take %a, %b {axis = 0 : i64, mode = "nan"} : (!relax.tensor<[n], i32>, !relax.tensor<[k], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: take_C5.mlir:6:8: error: @f: relax.take (%r): expected a floating-point element type of 'x' (C5), found i32; convert with relax.astype first{{$}}
