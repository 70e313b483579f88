// RUN: not relax-opt %s 2>&1 | filecheck %s

// 3 is not 4.

relax.func @f(%x: !relax.tensor<[3], f32>, %y: !relax.shape<[4]>) -> !relax.object {
  %r = relax.broadcast_to %x, %y : (!relax.tensor<[3], f32>, !relax.shape<[4]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: broadcast_to_C2.mlir:6:8: error: @f: relax.broadcast_to (%r): expected a size that is 1 or 4 (C2), found 3; correct the shape{{$}}
