// RUN: not relax-opt %s 2>&1 | filecheck %s

// Rows and columns are one axis.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.trace %x {axis1 = -1 : i64} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: trace_C2_same.mlir:6:8: error: @f: relax.trace (%r): expected two different axes (C2), found 1 twice; correct axis1 or axis2{{$}}
