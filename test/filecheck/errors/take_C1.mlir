// RUN: not relax-opt %s 2>&1 | filecheck %s

// Indices are integers.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.take %a, %b {axis = 0 : i64} : (!relax.tensor<[n], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: take_C1.mlir:6:8: error: @f: relax.take (%r): expected an integer element type of 'indices' (C1), found f32; convert with relax.astype first{{$}}
