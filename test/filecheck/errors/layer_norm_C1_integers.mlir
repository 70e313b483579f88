// RUN: not relax-opt %s 2>&1 | filecheck %s

// Integers have no such mean.

relax.func @f(%x: !relax.tensor<[2, 8], i32>, %gamma: !relax.tensor<[8], i32>, %beta: !relax.tensor<[8], i32>) -> !relax.object {
  %r = relax.layer_norm %x, %gamma, %beta {axes = array<i64: 1>} : (!relax.tensor<[2, 8], i32>, !relax.tensor<[8], i32>, !relax.tensor<[8], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: layer_norm_C1_integers.mlir:6:8: error: @f: relax.layer_norm (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}
