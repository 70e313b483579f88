// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number is in the range of an integer type.

relax.func @f(%x: !relax.tensor<[n], i8>) -> !relax.object {
  %y = relax.add -300, %x : (!relax.tensor<[n], i8>) -> !relax.tensor<[n], i8>
  relax.return %y : !relax.tensor<[n], i8>
}

// CHECK: number_range.mlir:6:18: error: relax.add: expected a number of element type i8, found -300; convert
