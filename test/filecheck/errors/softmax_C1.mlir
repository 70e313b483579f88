// RUN: not relax-opt %s 2>&1 | filecheck %s

// Integers have no softmax.

relax.func @f(%x: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.softmax %x {axis = 0 : i64} : (!relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: softmax_C1.mlir:6:8: error: @f: relax.softmax (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}
