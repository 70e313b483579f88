// RUN: not relax-opt %s 2>&1 | filecheck %s

// The result has rank 2.

relax.func @f(%x: !relax.tensor<[n], i64>) -> !relax.object {
  %r = relax.one_hot %x {on_value = 1.000000e+00 : f32, off_value = 0.000000e+00 : f32, depth = 4 : i64, axis = 2 : i64} : (!relax.tensor<[n], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: one_hot_C4.mlir:6:8: error: @f: relax.one_hot (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C4), found 2; axes count from zero, negative ones from the end{{$}}
