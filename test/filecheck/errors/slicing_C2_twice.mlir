// RUN: not relax-opt %s 2>&1 | filecheck %s

// Both are the second axis.

relax.func @f(%a: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.strided_slice %a {axes = array<i64: 1, -1>, begin = array<i64: 0, 0>, end = array<i64: 1, 1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: slicing_C2_twice.mlir:6:8: error: @f: relax.strided_slice (%r): expected each axis once (C2), found [1, -1]; leave out the repeated ones{{$}}
