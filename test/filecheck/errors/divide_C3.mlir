// RUN: not relax-opt %s 2>&1 | filecheck %s

// Integers have no quotient of their type.

relax.func @f(%x: !relax.tensor<[4], i32>, %y: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.divide %x, %y : (!relax.tensor<[4], i32>, !relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: divide_C3.mlir:6:8: error: @f: relax.divide (%r): expected a floating-point element type (C3), found i32; convert with relax.astype first{{$}}
