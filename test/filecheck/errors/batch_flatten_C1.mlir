// RUN: not relax-opt %s 2>&1 | filecheck %s

// A scalar has no batch.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  %r = relax.batch_flatten %x : (!relax.tensor<[], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: batch_flatten_C1.mlir:6:8: error: @f: relax.batch_flatten (%r): expected a tensor of rank 1 or more (C1), found one of rank 0; add dimensions with relax.expand_dims or relax.reshape{{$}}
