// RUN: not relax-opt %s 2>&1 | filecheck %s

// An integer has no angle of its type.

relax.func @f(%x: !relax.tensor<[4], i32>, %y: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.atan2 %x, %y : (!relax.tensor<[4], i32>, !relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: atan2_C1.mlir:6:8: error: @f: relax.atan2 (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}
