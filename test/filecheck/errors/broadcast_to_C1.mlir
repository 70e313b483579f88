// RUN: not relax-opt %s 2>&1 | filecheck %s

// A matrix does not become a vector.

relax.func @f(%x: !relax.tensor<[3, 4], f32>, %y: !relax.shape<[4]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[3, 4], f32>, !relax.shape<[4]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: broadcast_to_C1.mlir:6:8: error: @f: relax.broadcast_to (%r): expected a shape of rank 2 or more (C1), found [4]; add the missing sizes{{$}}
