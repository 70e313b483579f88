// RUN: not relax-opt %s 2>&1 | filecheck %s

// The bits of a float are not at hand.

relax.func @f(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.bitwise_not %x : (!relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: bitwise_not_C1.mlir:6:8: error: @f: relax.bitwise_not (%r): expected an integer or boolean element type (C1), found f32; convert with relax.astype first{{$}}
