// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number is one that the element type holds.

relax.func @f(%x: !relax.tensor<[n], i64>) -> !relax.object {
  %y = relax.add %x, 1.5 : (!relax.tensor<[n], i64>) -> !relax.tensor<[n], i64>
  relax.return %y : !relax.tensor<[n], i64>
}

// CHECK: number_fraction.mlir:6:22: error: relax.add: expected a number of element type i64, found 1.5; convert the tensor with relax.astype, or write another number{{$}}
