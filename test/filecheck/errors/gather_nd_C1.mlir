// RUN: not relax-opt %s 2>&1 | filecheck %s

// Indices are integers.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[k, 1], f64>) -> !relax.object {
  %r = relax.gather_nd %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[k, 1], f64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: gather_nd_C1.mlir:6:8: error: @f: relax.gather_nd (%r): expected an integer element type of 'indices' (C1), found f64; convert with relax.astype first{{$}}
