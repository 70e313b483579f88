// RUN: not relax-opt %s 2>&1 | filecheck %s

// The bits of a float fill it.

relax.func @f(%x: !relax.tensor<[n], f16>) -> !relax.object {
  %y = relax.add %x, 0x7F800000 : (!relax.tensor<[n], f16>) -> !relax.tensor<[n], f16>
  relax.return %y : !relax.tensor<[n], f16>
}

// CHECK: number_bits.mlir:6:22: error: relax.add: expected a number of element type f16, found 0x7F800000; convert
