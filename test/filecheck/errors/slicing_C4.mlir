// RUN: not relax-opt %s 2>&1 | filecheck %s

// A slice that does not move never ends.

relax.func @f(%a: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.strided_slice %a {axes = array<i64: 1>, begin = array<i64: 0>, end = array<i64: 1>, strides = array<i64: 0>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: slicing_C4.mlir:6:8: error: @f: relax.strided_slice (%r): expected strides other than 0 (C4), found [0]; correct the strides{{$}}
