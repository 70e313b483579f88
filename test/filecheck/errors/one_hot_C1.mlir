// RUN: not relax-opt %s 2>&1 | filecheck %s

// An index is a whole number.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.one_hot %x {on_value = 1.000000e+00 : f32, off_value = 0.000000e+00 : f32, depth = 4 : i64} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: one_hot_C1.mlir:6:8: error: @f: relax.one_hot (%r): expected an integer element type (C1), found f32; convert with relax.astype first{{$}}
