// RUN: not relax-opt %s 2>&1 | filecheck %s

// Integers are not scaled.

relax.func @f(%x: !relax.tensor<[2, 3], i32>) -> !relax.object {
  %ra, %rb = relax.dropout %x : (!relax.tensor<[2, 3], i32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %ra : !relax.tensor<*>
}

// CHECK: dropout_C1.mlir:6:14: error: @f: relax.dropout (%ra, %rb): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}
