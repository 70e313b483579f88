// RUN: not relax-opt %s 2>&1 | filecheck %s

// A slice that does not move never ends.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[1], i64>, %c: !relax.tensor<[1], i64>) -> !relax.object {
  %d = relax.constant dense<0> : tensor<1xi64>
  %r = relax.dynamic_strided_slice %a, %b, %c, %d : (!relax.tensor<[n], f32>, !relax.tensor<[1], i64>, !relax.tensor<[1], i64>, !relax.tensor<[1], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: dynamic_strided_slice_C3.mlir:7:8: error: @f: relax.dynamic_strided_slice (%r): expected strides other than 0 (C3), found 0; correct the strides{{$}}
