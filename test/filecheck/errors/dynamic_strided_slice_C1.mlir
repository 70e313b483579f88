// RUN: not relax-opt %s 2>&1 | filecheck %s

// Indices are integers.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[1], f32>, %c: !relax.tensor<[1], i64>, %d: !relax.tensor<[1], i64>) -> !relax.object {
  %r = relax.dynamic_strided_slice %a, %b, %c, %d : (!relax.tensor<[n], f32>, !relax.tensor<[1], f32>, !relax.tensor<[1], i64>, !relax.tensor<[1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: dynamic_strided_slice_C1.mlir:6:8: error: @f: relax.dynamic_strided_slice (%r): expected an integer element type of 'begin' (C1), found f32; convert with relax.astype first{{$}}
