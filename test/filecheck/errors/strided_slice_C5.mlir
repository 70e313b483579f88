// RUN: not relax-opt %s 2>&1 | filecheck %s

// The slice ends after its axis.

relax.func @f(%a: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %r = relax.strided_slice %a {axes = array<i64: 1>, begin = array<i64: 2>, end = array<i64: 5>, assume_inbound = true} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: strided_slice_C5.mlir:6:8: error: @f: relax.strided_slice (%r): expected begin and end inside of axis 1, in this order (C5), found 2 and 5; correct them, or leave assume_inbound out{{$}}
