// RUN: not relax-opt %s 2>&1 | filecheck %s

// n is not the broadcast of n + 2.

relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.shape<[n + 2]>) -> !relax.object {
  %r = relax.collapse_sum_to %x, %y : (!relax.tensor<[n], f32>, !relax.shape<[n + 2]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: collapse_sum_to_C3.mlir:6:8: error: @f: relax.collapse_sum_to (%r): expected a size that is 1 or n (C3), found n + 2; correct the shape{{$}}
