// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nothing says where the slice ends.

relax.func @f(%a: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.strided_slice %a {axes = array<i64: 0>, begin = array<i64: 1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: slicing_C1.mlir:6:8: error: @f: relax.strided_slice (%r): expected begin and end by two lists of integers or by two shapes (C1), found 1 lists and 0 shapes; write both in one form{{$}}
