// RUN: not relax-opt %s 2>&1 | filecheck %s

// A vector has no triangle.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.tril %x : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: tril_C1.mlir:6:8: error: @f: relax.tril (%r): expected a tensor of rank 2 or more (C1), found one of rank 1; add dimensions with relax.expand_dims or relax.reshape{{$}}
