// RUN: not relax-opt %s 2>&1 | filecheck %s

// No channels.

relax.func @f(%x: !relax.tensor<[3], f32>) -> !relax.object {
  %r = relax.local_response_norm %x {size = 1 : i64} : (!relax.tensor<[3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: local_response_norm_C2.mlir:6:8: error: @f: relax.local_response_norm (%r): expected a tensor of rank 2 or more (C2), found one of rank 1; add dimensions with relax.expand_dims or relax.reshape{{$}}
