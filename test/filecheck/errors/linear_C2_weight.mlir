// RUN: not relax-opt %s 2>&1 | filecheck %s

// A weight is a matrix.

relax.func @f(%x: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[2, 3, 4], f32>) -> !relax.object {
  %r = relax.linear %x, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[2, 3, 4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: linear_C2_weight.mlir:6:8: error: @f: relax.linear (%r): expected 'weight' of rank 1 or 2 (C2), found rank 3; reshape it to [out, in] or [in], or use relax.matmul{{$}}
