// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number has no axis to map.

relax.func @f(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.linear %x, %y : (!relax.tensor<[], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: linear_C2.mlir:6:8: error: @f: relax.linear (%r): expected a tensor of rank 1 or more (C2), found one of rank 0; add dimensions with relax.expand_dims or relax.reshape{{$}}
