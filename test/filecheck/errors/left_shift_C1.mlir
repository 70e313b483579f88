// RUN: not relax-opt %s 2>&1 | filecheck %s

// A truth value has one bit and nowhere to go.

relax.func @f(%x: !relax.tensor<[4], i1>, %y: !relax.tensor<[4], i1>) -> !relax.object {
  %r = relax.left_shift %x, %y : (!relax.tensor<[4], i1>, !relax.tensor<[4], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: left_shift_C1.mlir:6:8: error: @f: relax.left_shift (%r): expected an integer element type (C1), found i1; convert with relax.astype first{{$}}
