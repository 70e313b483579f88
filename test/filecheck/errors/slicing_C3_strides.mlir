// RUN: not relax-opt %s 2>&1 | filecheck %s

// One axis, two strides.

relax.func @f(%a: !relax.tensor<[n, 4], f32>, %b: !relax.tensor<[n, 1], f32>) -> !relax.object {
  %r = relax.slice_scatter %a, %b {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 1>, strides = array<i64: 1, 1>} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 1], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: slicing_C3_strides.mlir:6:8: error: @f: relax.slice_scatter (%r): expected 1 numbers in 'strides', one for each axis (C3), found 2; write one for each axis{{$}}
