// RUN: not relax-opt %s 2>&1 | filecheck %s

// A scalar holds no row of indices.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[], i64>) -> !relax.object {
  %r = relax.gather_nd %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: gather_nd_C2_rank.mlir:6:8: error: @f: relax.gather_nd (%r): expected a tensor of rank 1 or more (C2), found one of rank 0; add dimensions with relax.expand_dims or relax.reshape{{$}}
