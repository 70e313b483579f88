// RUN: not relax-opt %s 2>&1 | filecheck %s

// One axis, two beginnings.

relax.func @f(%a: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.strided_slice %a {axes = array<i64: 1>, begin = array<i64: 0, 1>, end = array<i64: 1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: slicing_C3_begin.mlir:6:8: error: @f: relax.strided_slice (%r): expected 1 numbers in 'begin', one for each axis (C3), found 2; write one for each axis{{$}}
