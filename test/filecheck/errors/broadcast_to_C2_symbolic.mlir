// RUN: not relax-opt %s 2>&1 | filecheck %s

// n + 2 is neither 1 nor n.

relax.func @f(%x: !relax.tensor<[n + 2], f32>, %y: !relax.shape<[n]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[n + 2], f32>, !relax.shape<[n]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: broadcast_to_C2_symbolic.mlir:6:8: error: @f: relax.broadcast_to (%r): expected a size that is 1 or n (C2), found n + 2; correct the shape{{$}}
