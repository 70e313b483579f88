// RUN: not relax-opt %s 2>&1 | filecheck %s

// Two zero points for three columns.

relax.func @f(%x: !relax.tensor<[n, 4], i8>, %y: !relax.tensor<[4, 3], i8>, %z: !relax.tensor<[], i8>, %u: !relax.tensor<[2], i8>) -> !relax.object {
  %r = relax.matmul_integer %x, %y, %z, %u : (!relax.tensor<[n, 4], i8>, !relax.tensor<[4, 3], i8>, !relax.tensor<[], i8>, !relax.tensor<[2], i8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: matmul_integer_C5.mlir:6:8: error: @f: relax.matmul_integer (%r): expected 'rhs_zero_point' to be one number, or one for each row or column (C5), found 2 for 3; slice or reshape 'rhs_zero_point'{{$}}
