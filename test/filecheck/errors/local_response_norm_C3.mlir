// RUN: not relax-opt %s 2>&1 | filecheck %s

// The mean of no channels.

relax.func @f(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.local_response_norm %x {size = 0 : i64} : (!relax.tensor<[2, 3], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: local_response_norm_C3.mlir:6:8: error: @f: relax.local_response_norm (%r): expected size to be at least 1 (C3), found 0; correct size{{$}}
