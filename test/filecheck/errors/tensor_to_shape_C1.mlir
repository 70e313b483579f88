// RUN: not relax-opt %s 2>&1 | filecheck %s

// Sizes are i64.

relax.func @f(%x: !relax.tensor<[2], i32>) -> !relax.object {
  %r = relax.tensor_to_shape %x : (!relax.tensor<[2], i32>) -> !relax.shape<*>
  relax.return %r : !relax.shape<*>
}

// CHECK: tensor_to_shape_C1.mlir:6:8: error: @f: relax.tensor_to_shape (%r): expected the element type i64 (C1), found i32; convert with relax.astype first{{$}}
