// RUN: not relax-opt %s 2>&1 | filecheck %s

// Both values are elements of the result.

relax.func @f(%x: !relax.tensor<[n], i64>) -> !relax.object {
  %r = relax.one_hot %x {on_value = 1.000000e+00 : f32, off_value = 0 : i64, depth = 4 : i64} : (!relax.tensor<[n], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: one_hot_C2.mlir:6:8: error: @f: relax.one_hot (%r): expected on_value and off_value of one element type (C2), found f32 and i64; write both with the type of the result{{$}}
