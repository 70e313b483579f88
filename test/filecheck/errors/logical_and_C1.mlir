// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number is no truth value.

relax.func @f(%x: !relax.tensor<[4], i32>, %y: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.logical_and %x, %y : (!relax.tensor<[4], i32>, !relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: logical_and_C1.mlir:6:8: error: @f: relax.logical_and (%r): expected a boolean element type (C1), found i32; compare with 0 by relax.not_equal, or convert with relax.astype, first{{$}}
