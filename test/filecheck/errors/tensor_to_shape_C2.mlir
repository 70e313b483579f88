// RUN: not relax-opt %s 2>&1 | filecheck %s

// A matrix is no list of sizes.

relax.func @f(%x: !relax.tensor<[2, 2], i64>) -> !relax.object {
  %r = relax.tensor_to_shape %x : (!relax.tensor<[2, 2], i64>) -> !relax.shape<*>
  relax.return %r : !relax.shape<*>
}

// CHECK: tensor_to_shape_C2.mlir:6:8: error: @f: relax.tensor_to_shape (%r): expected 'x' of rank 1 (C2), found rank 2; make it a vector with relax.reshape or relax.flatten{{$}}
