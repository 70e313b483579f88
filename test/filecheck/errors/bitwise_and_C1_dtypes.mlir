// RUN: not relax-opt %s 2>&1 | filecheck %s

// The element types differ.

relax.func @f(%x: !relax.tensor<[4], i32>, %y: !relax.tensor<[4], ui32>) -> !relax.object {
  %r = relax.bitwise_and %x, %y : (!relax.tensor<[4], i32>, !relax.tensor<[4], ui32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: bitwise_and_C1_dtypes.mlir:6:8: error: @f: relax.bitwise_and (%r): expected operands of one element type (C1), found i32 and ui32; convert one of them with relax.astype{{$}}
