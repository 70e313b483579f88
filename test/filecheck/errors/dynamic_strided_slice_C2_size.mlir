// RUN: not relax-opt %s 2>&1 | filecheck %s

// One axis has one end.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[1], i64>, %c: !relax.tensor<[2], i64>, %d: !relax.tensor<[1], i64>) -> !relax.object {
  %r = relax.dynamic_strided_slice %a, %b, %c, %d : (!relax.tensor<[n], f32>, !relax.tensor<[1], i64>, !relax.tensor<[2], i64>, !relax.tensor<[1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: dynamic_strided_slice_C2_size.mlir:6:8: error: @f: relax.dynamic_strided_slice (%r): expected 'end' to have one element for each of 1 axes (C2), found 2 and 1; correct 'end'{{$}}
