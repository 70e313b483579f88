// RUN: not relax-opt %s 2>&1 | filecheck %s

// A logarithm is no integer.

relax.func @f(%x: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.logcumsumexp %x {axis = 0 : i64} : (!relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: logcumsumexp_C2.mlir:6:8: error: @f: relax.logcumsumexp (%r): expected a floating-point element type (C2), found i32; convert with relax.astype first{{$}}
