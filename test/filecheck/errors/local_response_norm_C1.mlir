// RUN: not relax-opt %s 2>&1 | filecheck %s

// Integers have no such power.

relax.func @f(%x: !relax.tensor<[2, 3], i32>) -> !relax.object {
  %r = relax.local_response_norm %x {size = 1 : i64} : (!relax.tensor<[2, 3], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: local_response_norm_C1.mlir:6:8: error: @f: relax.local_response_norm (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}
