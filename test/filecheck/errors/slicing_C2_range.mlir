// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no third axis.

relax.func @f(%a: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.strided_slice %a {axes = array<i64: 2>, begin = array<i64: 0>, end = array<i64: 1>} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: slicing_C2_range.mlir:6:8: error: @f: relax.strided_slice (%r): expected an axis from -2 to 1 for a tensor of rank 2 (C2), found 2; axes count from zero, negative ones from the end{{$}}
