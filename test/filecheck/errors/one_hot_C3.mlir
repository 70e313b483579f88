// RUN: not relax-opt %s 2>&1 | filecheck %s

// A negative depth.

relax.func @f(%x: !relax.tensor<[n], i64>) -> !relax.object {
  %r = relax.one_hot %x {on_value = 1.000000e+00 : f32, off_value = 0.000000e+00 : f32, depth = -1 : i64} : (!relax.tensor<[n], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: one_hot_C3.mlir:6:8: error: @f: relax.one_hot (%r): expected depth to be at least 0 (C3), found -1; correct depth{{$}}
