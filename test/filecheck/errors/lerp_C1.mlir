// RUN: not relax-opt %s 2>&1 | filecheck %s

// Integers have nothing between them.

relax.func @f(%x: !relax.tensor<[n], i32>, %y: !relax.tensor<[n], i32>, %z: !relax.tensor<[n], i32>) -> !relax.object {
  %r = relax.lerp %x, %y, %z : (!relax.tensor<[n], i32>, !relax.tensor<[n], i32>, !relax.tensor<[n], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: lerp_C1.mlir:6:8: error: @f: relax.lerp (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}
